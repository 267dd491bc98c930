import { describe, expect, test } from 'vitest'
import { createRng, type Rng } from '../../../src/base/rng.ts'
import type { Told } from '../../../src/history/data/told.ts'
import { isSameTold } from '../../../src/history/data/told.ts'
import type { LinearOperation } from '../../../src/history/shared/linear-candidates.ts'
import { findLinearOrder } from '../../../src/history/shared/linear-order.ts'
import { applyShared, type SharedState } from '../../../src/history/shared/shared-data.ts'

/** `from`..`until` words = answer; no answer: `from`.. words. Several commands are separated by `;`. */
function history(...lines: readonly string[]): LinearOperation[] {
  return lines.map((line, index) => {
    const [, from = '', until = '', words = '', , told] =
      /^(\d+)\.\.(\d*) ([^=]+?)( = (.*))?$/.exec(line) ?? []
    const commands = words.split('; ').map((text) => text.split(' '))
    const answers = told === undefined ? undefined : (JSON.parse(`[${told}]`) as Told[])
    return {
      ...{ client: `app${index}`, node: 'n1', connection: undefined },
      ...{ askedAtMs: Number(from), commands, answers },
      answeredAtMs: until === '' ? undefined : Number(until),
    }
  })
}

const verdictOf = (...lines: readonly string[]) => findLinearOrder(history(...lines)).kind

describe('a register', () => {
  test('a read after a write sees it', () => {
    expect(verdictOf('1..2 SET r a = "OK"', '3..4 GET r = "a"')).toBe('linear')
    expect(verdictOf('1..2 SET r a = "OK"', '3..4 GET r = null')).toBe('broken')
  })

  test('a read beside a write may see it or not', () => {
    expect(verdictOf('1..5 SET r a = "OK"', '2..3 GET r = "a"')).toBe('linear')
    expect(verdictOf('1..5 SET r a = "OK"', '2..3 GET r = null')).toBe('linear')
  })

  test('what was read is not unread', () => {
    const write = '1..9 SET r a = "OK"'
    expect(verdictOf(write, '2..3 GET r = "a"', '4..5 GET r = null')).toBe('broken')
    expect(verdictOf(write, '2..3 GET r = null', '4..5 GET r = "a"')).toBe('linear')
  })

  test('a write without an answer happens late, or never, but not twice', () => {
    const lost = '1.. SET r a'
    const other = '2..3 SET r b = "OK"'
    expect(verdictOf(lost, other, '4..5 GET r = "b"', '6..7 GET r = "a"')).toBe('linear')
    expect(verdictOf(lost, other, '4..5 GET r = "b"')).toBe('linear')
    const again = ['4..5 GET r = "a"', '6..7 SET r c = "OK"', '8..9 GET r = "a"']
    expect(verdictOf(lost, other, ...again)).toBe('broken')
  })

  test('a write without an answer does not happen before it was asked for', () => {
    expect(verdictOf('1..2 GET r = "a"', '3.. SET r a')).toBe('broken')
  })
})

describe('a counter', () => {
  test('two increments that were told the same number are one too many', () => {
    expect(verdictOf('1..5 INCR c = 1', '2..6 INCR c = 2')).toBe('linear')
    expect(verdictOf('1..5 INCR c = 1', '2..6 INCR c = 1')).toBe('broken')
  })

  test('an acknowledged increment that the counter forgot is found', () => {
    const before = ['1..2 INCR c = 1', '3..4 INCR c = 2']
    expect(verdictOf(...before, '5..6 GET c = "1"')).toBe('broken')
  })

  test('unanswered increments fill a gap, one each', () => {
    const before = ['1..2 INCR c = 1', '1.. INCR c', '1.. INCR c']
    expect(verdictOf(...before, '5..6 INCR c = 4')).toBe('linear')
    expect(verdictOf(...before, '5..6 INCR c = 5')).toBe('broken')
  })

  test('forty unanswered increments are no more work than one', () => {
    const lost = Array.from({ length: 40 }, () => '1.. INCR c')
    expect(
      findLinearOrder(history(...lost, '5..6 INCR c = 41', '7..8 GET c = "40"'), 5_000).kind,
    ).toBe('broken')
  })
})

describe('a list', () => {
  test('an element is in front of those that were pushed after it', () => {
    const pushed = ['1..2 RPUSH l a = 1', '3..4 RPUSH l b = 2']
    expect(verdictOf(...pushed, '5..6 LRANGE l 0 -1 = ["a","b"]')).toBe('linear')
    expect(verdictOf(...pushed, '5..6 LRANGE l 0 -1 = ["b","a"]')).toBe('broken')
    expect(verdictOf(...pushed, '5..6 LRANGE l 0 -1 = ["a"]')).toBe('broken')
  })

  test('an element is popped once', () => {
    const pushed = '1..2 RPUSH q a = 1'
    expect(verdictOf(pushed, '3..6 LPOP q = "a"', '4..5 LPOP q = null')).toBe('linear')
    expect(verdictOf(pushed, '3..6 LPOP q = "a"', '4..5 LPOP q = "a"')).toBe('broken')
    expect(verdictOf('1..9 BLPOP q 1 = ["q","a"]', '2..3 RPUSH q a = 1')).toBe('linear')
  })
})

test('a lock has one holder at a time', () => {
  expect(verdictOf('1..2 SET k a NX = "OK"', '3..4 SET k b NX = null')).toBe('linear')
  expect(verdictOf('1..2 SET k a NX = "OK"', '3..4 SET k b NX = "OK"')).toBe('broken')
  const released = ['1..2 SET k a NX = "OK"', '3.. DEL k', '4..5 SET k b NX = "OK"']
  expect(verdictOf(...released)).toBe('linear')
  expect(verdictOf('1.. SET k a NX', '3..4 SET k b NX = null')).toBe('linear')
})

describe('a transaction under a watch', () => {
  const watch = ['1..2 SET r a = "OK"', '3..4 WATCH r t = "OK"', '5..6 GET r = "a"']
  const ran = '9..10 UNCHANGED r t; SET r c = 1,"OK"'
  const didNotRun = '9..10 UNCHANGED r t = 0'

  test('runs if the key is as it was, and does not run if it is not', () => {
    expect(verdictOf(...watch, ran, '11..12 GET r = "c"')).toBe('linear')
    expect(verdictOf(...watch, didNotRun)).toBe('broken')
    const changed = [...watch, '7..8 SET r b = "OK"']
    expect(verdictOf(...changed, ran)).toBe('broken')
    expect(verdictOf(...changed, didNotRun, '11..12 GET r = "b"')).toBe('linear')
  })

  test('a key that was changed and changed back is another one', () => {
    const locked = ['1..2 WATCH k t = "OK"', '3..4 SET k a NX = "OK"', '5..6 DEL k = 1']
    expect(verdictOf(...locked, '7..8 UNCHANGED k t; SET k b = 1,"OK"')).toBe('broken')
    expect(verdictOf(...locked, '7..8 UNCHANGED k t = 0')).toBe('linear')
  })

  test('what changes nothing, or another key, does not hinder it', () => {
    const vain = [...watch, '7..8 SET r b NX = null', '7..8 INCR c = 1']
    expect(verdictOf(...vain, ran)).toBe('linear')
    expect(verdictOf(...vain, didNotRun)).toBe('broken')
  })

  test('a write beside it came first or later, and one without an answer may have come first', () => {
    const beside = [...watch, '7..20 SET r b = "OK"']
    expect(verdictOf(...beside, ran, '21..22 GET r = "b"')).toBe('linear')
    expect(verdictOf(...beside, ran, '21..22 GET r = "c"')).toBe('broken')
    expect(verdictOf(...beside, didNotRun)).toBe('linear')
    expect(verdictOf(...watch, '7.. SET r b', didNotRun)).toBe('linear')
    expect(verdictOf(...watch, '7.. SET r b', didNotRun, '11..12 GET r = "a"')).toBe('broken')
  })

  test('without an answer it ran where it could, or not at all', () => {
    const lost = '9.. UNCHANGED r t; SET r c'
    expect(verdictOf(...watch, lost, '11..12 GET r = "c"')).toBe('linear')
    expect(verdictOf(...watch, lost, '11..12 GET r = "a"')).toBe('linear')
    const changed = [...watch, '7..8 SET r b = "OK"']
    expect(verdictOf(...changed, lost, '11..12 GET r = "c"')).toBe('broken')
  })
})

test('nobody sees half of a transaction', () => {
  const both = '1..9 SET r a; INCR c = "OK",1'
  expect(verdictOf(both, '2..3 GET r = "a"', '4..5 GET c = "1"')).toBe('linear')
  expect(verdictOf(both, '2..3 GET r = "a"', '4..5 GET c = null')).toBe('broken')
  expect(verdictOf('1.. SET r a; INCR c', '2..3 GET r = "a"', '4..5 GET c = null')).toBe('broken')
})

test('what came over one connection takes effect in its order', () => {
  const over = (connection: number | undefined) =>
    history('1..9 SET r a = "OK"', '1..9 SET r b = "OK"', '10..11 GET r = "a"').map((operation) => {
      return { ...operation, client: 'app', connection }
    })
  expect(findLinearOrder(over(1)).kind).toBe('broken')
  expect(findLinearOrder(over(undefined)).kind).toBe('linear')
})

test('the verdict names the operation whose answer fits no order', () => {
  const verdict = findLinearOrder(
    history('1..2 INCR c = 1', '3..4 INCR c = 2', '5..6 GET c = "1"', '7..8 INCR c = 3'),
  )
  expect(verdict).toMatchObject({ kind: 'broken', operation: { commands: [['GET', 'c']] } })
})

/** Tries every order of every choice of unanswered operations. */
function bruteForce(operations: readonly LinearOperation[]): 'linear' | 'broken' {
  const place = (left: readonly LinearOperation[], state: SharedState): boolean => {
    if (left.every(({ answers }) => answers === undefined)) return true
    const dueMs = Math.min(
      ...left.map(({ answeredAtMs }) => answeredAtMs ?? Number.POSITIVE_INFINITY),
    )
    return left.some((operation, at) => {
      if (operation.askedAtMs > dueMs) return false
      if (left.slice(0, at).some((before) => hasTurnBefore(before, operation))) return false
      const next = applied(operation, state)
      if (next === undefined) return false
      return place(
        left.filter((other) => other !== operation),
        next,
      )
    })
  }
  return place(operations, new Map()) ? 'linear' : 'broken'
}

function hasTurnBefore(before: LinearOperation, operation: LinearOperation): boolean {
  if (before.answers === undefined || operation.connection === undefined) return false
  return before.client === operation.client && before.connection === operation.connection
}

function applied(
  { commands, answers }: LinearOperation,
  from: SharedState,
): SharedState | undefined {
  let state = from
  for (const [at, argv] of commands.entries()) {
    const outcome = applyShared(state, argv)
    if (answers !== undefined && !isSameTold(outcome.told, answers[at] ?? null)) return undefined
    if (answers === undefined && argv[0] === 'UNCHANGED' && outcome.told === 0) return undefined
    state = outcome.state
  }
  return state
}

/**
 * A history that some server could have given, with a wrong answer or a lost effect now and then. Some clients send
 * without waiting for answers.
 */
function drawHistory(rng: Rng, length: number): LinearOperation[] {
  const isPipelined = rng.chance(1, 2)
  let state: SharedState = new Map()
  const operations: LinearOperation[] = []
  for (let number = 0; number < length; number++) {
    const drawn = rng.chance(1, 5)
      ? [drawCommand(rng, `${number}a`), drawCommand(rng, `${number}b`)]
      : [drawCommand(rng, `${number}`)]
    const watch = openWatch(operations)
    const isConditional = watch !== undefined && rng.chance(1, 3)
    const condition = ['UNCHANGED', ...(watch?.slice(1) ?? [])]
    let commands = isConditional ? [condition, ...drawn] : drawn
    const before = state
    const isStale = isConditional && applyShared(state, condition).told === 0
    const isAnswered = !rng.chance(1, 4)
    if (isStale && isAnswered) commands = [condition]
    const answers: Told[] = commands.map((argv) => {
      const outcome = applyShared(state, argv)
      state = isStale ? before : outcome.state
      return outcome.told
    })
    if (isConditional && rng.chance(1, 4)) answers[0] = answers[0] === 0 ? 1 : 0
    if (rng.chance(1, 3)) state = before
    const atMs = number * 10
    const lane = rng.below(3)
    const connection = isPipelined && lane > 0 ? lane : undefined
    operations.push({
      ...{ client: connection === undefined ? `app${number}` : 'app', node: 'n1', connection },
      commands,
      askedAtMs: isPipelined && rng.chance(1, 4) ? -1e9 : atMs - rng.below(15),
      answeredAtMs: isAnswered ? atMs + rng.below(15) : undefined,
      answers: isAnswered ? answers : undefined,
    })
  }
  return operations
}

/** A watch that no transaction has ended. */
function openWatch(operations: readonly LinearOperation[]): readonly string[] | undefined {
  const argvs = operations.flatMap(({ commands }) => commands)
  const tokens = (wanted: string) =>
    argvs.filter(([name]) => name === wanted).map(([, , token]) => token)
  const ended = new Set(tokens('UNCHANGED'))
  return argvs.find(([name, , token]) => name === 'WATCH' && !ended.has(token))
}

function drawCommand(rng: Rng, unique: string): readonly string[] {
  return rng.pick([
    ['SET', 'r', unique],
    ['GET', 'r'],
    ['INCR', 'c'],
    ['GET', 'c'],
    ['RPUSH', 'l', unique],
    ['LRANGE', 'l', '0', '-1'],
    ['LPOP', 'l'],
    ['SET', 'k', unique, 'NX'],
    ['DEL', 'k'],
    ['GET', 'k'],
    ['WATCH', 'r', unique],
    ['WATCH', 'k', unique],
  ])
}

test('four thousand random histories get the verdict of the search through all orders', () => {
  const rng = createRng('linear')
  const counts = { linear: 0, broken: 0 }
  for (let round = 0; round < 4_000; round++) {
    const operations = drawHistory(rng.fork(`${round}`), 4 + (round % 5))
    const expected = bruteForce(operations)
    counts[expected]++
    expect([round, findLinearOrder(operations).kind]).toEqual([round, expected])
  }
  expect(Math.min(counts.linear, counts.broken)).toBeGreaterThan(600)
})
