import { describe, expect, test } from 'vitest'
import { type DataRequest, lookAround } from '../../src/history/data/requests.ts'
import type { Told } from '../../src/history/data/told.ts'
import { BESIDE, type Question, type Write } from '../../src/history/writes.ts'
import { DataStory } from '../../src/scenario/final-checks/data-story.ts'

const END_MS = 100_000
const CHECKER = 'data equals its model'

/** What one client asked and was told, written down by hand. */
class Talk {
  readonly questions: Question[] = []
  #nowMs = 1_000
  #tookMs = 2
  #connection = 1
  #connections = 1
  #node = 'n1'
  #wasReplica = false
  #mayKeepDead = false
  #mayBeFull = false
  #limit: { workMax?: number } = {}
  #clocksFailAtMs = Number.POSITIVE_INFINITY

  at(nowMs: number): this {
    this.#nowMs = nowMs
    return this
  }

  /** From now on answers take so long. */
  taking(tookMs: number): this {
    this.#tookMs = tookMs
    return this
  }

  /** A new connection, to this node. */
  meets(node: string): this {
    this.#node = node
    this.#connection = ++this.#connections
    return this
  }

  /** Undefined: no answer came. */
  asks(words: string, told?: Told): this {
    return this.#ask([words.split(' ')], 'command', told)
  }

  /** A page of the only scan. */
  scans(words: string, told?: Told): this {
    return this.#ask([words.split(' ')], 'command', told, { scan: 'scan' })
  }

  transacts(commands: readonly string[], told?: Told): this {
    return this.#ask(split(commands), 'transaction', told)
  }

  runs(commands: readonly string[], told?: Told): this {
    return this.#ask(split(commands), 'script', told)
  }

  /** A look at this node, whatever its role. */
  beside(node: string): this {
    this.#node = node
    this.#connection = BESIDE
    return this
  }

  demotes(): this {
    this.#wasReplica = true
    return this
  }

  holdsWritesBack(): this {
    this.#mayKeepDead = true
    return this
  }

  fillsMemory(): this {
    this.#mayBeFull = true
    return this
  }

  /** The judge may take no more than so many steps. */
  within(workMax: number): this {
    this.#limit = { workMax }
    return this
  }

  setsClocksWrong(): this {
    this.#clocksFailAtMs = this.#nowMs
    return this
  }

  get story(): DataStory {
    return new DataStory({
      questions: this.questions,
      endMs: END_MS,
      mayHaveChanged: () => this.#wasReplica,
      mayKeepDead: () => this.#mayKeepDead,
      mayBeFull: () => this.#mayBeFull,
      clocksFailAtMs: this.#clocksFailAtMs,
      ...this.#limit,
    })
  }

  get accused(): boolean {
    return this.story.violations.some(({ checker }) => checker === CHECKER)
  }

  #ask(
    commands: readonly (readonly string[])[],
    form: DataRequest['form'],
    told?: Told,
    more: Pick<DataRequest, 'scan'> = {},
  ): this {
    const answer = told === undefined ? undefined : { atMs: this.#nowMs + this.#tookMs, told }
    const by = { client: 'app', group: 'g', node: this.#node, attemptedAtMs: this.#nowMs }
    const request = { commands, form, ...more }
    const write: Write = {
      ...by,
      operation: { kind: 'data', request },
      outcome:
        answer === undefined
          ? { kind: 'unknown', atMs: this.#nowMs }
          : { kind: 'acknowledged', atMs: answer.atMs, withMajority: true },
    }
    this.questions.push({ ...by, connection: this.#connection, request, write, answer })
    this.#nowMs += 100
    return this
  }
}

function split(commands: readonly string[]): readonly (readonly string[])[] {
  return commands.map((words) => words.split(' '))
}

function talk(): Talk {
  return new Talk()
}

/** What is told of two databases of which the first has only strings and the second nothing. */
function lookWith(strings: Readonly<Record<string, string>>): Question {
  const request = lookAround(1, 2)
  let isHome = false
  const told = request.commands.map(([name, key = '']): Told => {
    if (name === 'SELECT') {
      isHome = key === '1'
      return 'OK'
    }
    const held = isHome ? strings : {}
    if (name === 'DBSIZE') return Object.keys(held).length
    if (name === 'XPENDING') return { error: 'NOGROUP' }
    if (name === 'GET') return held[key] ?? null
    if (name === 'PTTL') return key in held ? -1 : -2
    return []
  })
  const by = { client: 'app', group: 'g', node: 'n2', attemptedAtMs: END_MS }
  return { ...by, connection: BESIDE, request, write: undefined, answer: { atMs: END_MS, told } }
}

test('FLUSHALL takes what is in both databases, and nothing comes back', () => {
  const both = talk().asks('SET s1 a', 'OK').asks('COPY s1 s1 DB 2', 1).asks('FLUSHALL SYNC', 'OK')
  expect(both.asks('MOVE s1 2', 0).asks('DBSIZE', 0).accused).toBe(false)
  const other = (count: number) => both.transacts(['SELECT 2', 'DBSIZE'], ['OK', count]).accused
  expect(other(0)).toBe(false)
  expect(other(1)).toBe(true)
})

describe('a scan', () => {
  const filled = () => talk().asks('HSET h1 a 1 b 2 c 3', 3)
  const first = (one: Talk) => one.scans('HSCAN h1 0 COUNT 1', ['7', ['a', '1']])

  test('shows what was there all the time', () => {
    const all = first(filled()).scans('HSCAN h1 7 COUNT 2', ['0', ['b', '2', 'c', '3']])
    expect(all.accused).toBe(false)
    expect(first(filled()).scans('HSCAN h1 7 COUNT 2', ['0', ['b', '2']]).accused).toBe(true)
    expect(filled().scans('HSCAN h1 0', ['0', ['a', '1', 'c', '3']]).accused).toBe(true)
  })

  test('shows nothing that is not there', () => {
    expect(filled().scans('HSCAN h1 0 COUNT 1', ['7', ['d', '1']]).accused).toBe(true)
    expect(filled().scans('HSCAN h1 0 COUNT 1', ['7', ['a', '2']]).accused).toBe(true)
    expect(filled().scans('SCAN 0 COUNT 1', ['7', ['h2']]).accused).toBe(true)
  })

  test('may leave out or repeat what was changed meanwhile', () => {
    const back = first(filled()).asks('HDEL h1 b', 1).asks('HSET h1 b 4', 1)
    expect(back.scans('HSCAN h1 7 COUNT 2', ['0', ['c', '3']]).accused).toBe(false)
    const more = first(filled()).asks('HSET h1 d 4', 1)
    expect(more.scans('HSCAN h1 7 COUNT 2', ['0', ['b', '2', 'c', '3']]).accused).toBe(false)
    const changed = first(filled()).asks('HSET h1 a 5', 0)
    const again = changed.scans('HSCAN h1 7 COUNT 3', ['0', ['a', '5', 'b', '2', 'c', '3']])
    expect(again.accused).toBe(false)
  })

  test('may leave out what a transaction took away and made anew (seeds 21862 and 22033)', () => {
    const scanned = (between: readonly string[], told: Told) =>
      talk()
        .transacts(['SET s1 a', 'SET s2 b'], ['OK', 'OK'])
        .scans('SCAN 0 COUNT 1', ['7', ['s1']])
        .transacts(between, told)
        .scans('SCAN 7 COUNT 1', ['0', []])
    expect(scanned(['DEL s2', 'SET s2 c'], [1, 'OK']).accused).toBe(false)
    expect(scanned(['SET s1 c', 'GET s2'], ['OK', 'b']).accused).toBe(true)
  })

  test('may leave out a key whose time may be over, and no other', () => {
    const mortal = () =>
      talk().asks('SET s1 a', 'OK').asks('SET s2 b', 'OK').asks('PEXPIRE s1 200', 1)
    expect(mortal().scans('SCAN 0', ['0', ['s2']]).accused).toBe(false)
    expect(mortal().scans('SCAN 0', ['0', ['s1']]).accused).toBe(true)
  })

  test('may leave out what a request without an answer may have taken away', () => {
    const lost = () => filled().asks('HDEL h1 b', undefined).meets('n1')
    const seen = (one: Talk) => first(one.asks('HLEN h1', 3))
    const late = seen(lost()).scans('HSCAN h1 7 COUNT 2', ['0', ['c', '3']])
    expect(late.accused).toBe(false)
    expect(seen(lost()).scans('HSCAN h1 7 COUNT 2', ['0', ['b', '2']]).accused).toBe(true)
  })

  test('may leave out a key that perhaps was created meanwhile, however its data came about', () => {
    const begun = talk().setsClocksWrong().asks('SET n1 1', 'OK')
    for (const key of ['s1', 's2', 's3']) {
      begun.asks(`SET ${key} a PX 200`, 'OK').asks(`SET ${key} b KEEPTTL`, 'OK')
    }
    begun
      .at(5_000)
      .scans('SCAN 0 COUNT 1', ['7', ['n1']])
      .asks('MSET s1 c s2 c s3 c', 'OK')
    expect(begun.scans('SCAN 7 COUNT 1', ['0', []]).accused).toBe(false)
  })

  test('proves nothing where the node took over the data of another one', () => {
    const turned = first(filled()).scans('HSCAN h1 7 COUNT 2', ['0', ['b', '2']])
    expect(turned.demotes().accused).toBe(false)
  })
})

describe('on one connection the data only goes on', () => {
  test('an answer that follows from what was done is right, another one is caught', () => {
    const done = talk().asks('SET s1 a', 'OK').asks('APPEND s1 b', 2)
    expect(done.asks('GET s1', 'ab').accused).toBe(false)
    expect(done.asks('GET s1', 'a').accused).toBe(true)
  })

  test('a write that was refused did nothing', () => {
    const refused = talk().asks('INCR n1', 1).asks('INCR n1', { error: 'NOREPLICAS Not enough' })
    expect(refused.asks('INCR n1', 2).accused).toBe(false)
    expect(refused.asks('INCR n1', 4).accused).toBe(true)
  })

  test('what chance decided is known by the answer', () => {
    const popped = talk().asks('SADD e1 a b', 2).asks('SPOP e1', 'b')
    expect(popped.asks('SMEMBERS e1', ['a']).accused).toBe(false)
    expect(popped.asks('SMEMBERS e1', ['a', 'b']).accused).toBe(true)
  })

  test('a node that became a replica meanwhile may show what its master has', () => {
    const back = talk().asks('INCR n1', 1).asks('INCR n1', 2).asks('GET n1', '1')
    expect(back.accused).toBe(true)
    expect(back.demotes().accused).toBe(false)
  })
})

describe('on a new connection the data is as it was at some time', () => {
  const written = (): Talk =>
    talk().asks('INCR n1', 1).asks('SET s1 a', 'OK').asks('INCR n1', 2).meets('n2')

  test('the end of what was written may be gone', () => {
    expect(written().asks('GET n1', '1').asks('GET s1', 'a').accused).toBe(false)
    expect(written().asks('GET n1', null).asks('GET s1', null).accused).toBe(false)
  })

  test('but nothing may be missing before something that is there', () => {
    expect(written().asks('GET n1', '2').asks('GET s1', null).accused).toBe(true)
  })

  test('a transaction is there as a whole or not at all', () => {
    const both = (): Talk => talk().transacts(['SET s1 a', 'SET s2 b'], ['OK', 'OK']).meets('n2')
    expect(both().asks('MGET s1 s2', ['a', 'b']).accused).toBe(false)
    expect(both().asks('MGET s1 s2', [null, null]).accused).toBe(false)
    expect(both().asks('MGET s1 s2', ['a', null]).accused).toBe(true)
  })
})

describe('on another node of the group the data is as it was at some time', () => {
  const written = (): Talk =>
    talk().transacts(['SET s1 a', 'SET s2 b'], ['OK', 'OK']).asks('SET s3 c PX 10000', 'OK')

  test('a replica may be behind, but shows no half of a transaction or of a script', () => {
    expect(written().beside('n2').asks('MGET s1 s2', [null, null]).accused).toBe(false)
    expect(written().beside('n2').asks('MGET s1 s2', ['a', null]).accused).toBe(true)
    const scripted = talk().runs(['SET s1 a', 'SET s2 b'], ['OK', 'OK'])
    expect(scripted.beside('n2').asks('MGET s1 s2', [null, 'b']).accused).toBe(true)
  })

  test('it may be far behind, but shows no key whose time is over', () => {
    const late = (told: Told): Talk => written().at(50_000).beside('n2').asks('GET s3', told)
    expect(late(null).accused).toBe(false)
    expect(late('c').accused).toBe(true)
  })

  test('what was found there changes nothing about the node that the client works on', () => {
    const behind = written().beside('n2').asks('GET s1', null)
    expect(behind.meets('n1').asks('GET s1', 'a').accused).toBe(false)
  })
})

describe('a script', () => {
  test('of which a node without memory refuses some commands has done the others', () => {
    const oom: Told = { error: 'OOM command not allowed' }
    const some = (): Talk => talk().asks('SET s1 a', 'OK').runs(['SET s1 b', 'DEL s1'], [oom, 1])
    expect(some().asks('GET s1', null).accused).toBe(false)
    expect(some().asks('GET s1', 'a').accused).toBe(true)
  })

  test('of which nobody heard is half done only by a node without memory (seed 21137)', () => {
    const half = () => {
      const open = talk().asks('SET s1 a', 'OK').asks('SET s3 c', 'OK').runs(['SET s2 b', 'DEL s1'])
      return open.meets('n1').transacts(['GET s1', 'GET s2', 'GET s3'], [null, null, 'c'])
    }
    expect(half().accused).toBe(true)
    expect(half().fillsMemory().accused).toBe(false)
  })
})

describe('a request without an answer', () => {
  const open = (): Talk => talk().asks('INCR n1', 1).asks('INCR n1').meets('n1')

  test('was carried out, or was not', () => {
    expect(open().asks('GET n1', '1').accused).toBe(false)
    expect(open().asks('GET n1', '2').accused).toBe(false)
    expect(open().asks('GET n1', '3').accused).toBe(true)
  })

  test('may be carried out late, but only by the node to which it was sent', () => {
    const late = (node: string): Talk =>
      talk()
        .asks('INCR n1')
        .meets(node)
        .asks('GET n1', null)
        .asks('SET s1 a', 'OK')
        .asks('GET n1', '1')
    expect(late('n1').accused).toBe(false)
    expect(late('n2').accused).toBe(true)
  })

  test('may be carried out late although its effect would be over if it had been in time', () => {
    const late = (found: Told): Talk =>
      talk()
        .asks('ZADD z2 1 a', 1)
        .asks('PEXPIRE z2 100', 1)
        .asks('PEXPIRE z2 200', 1)
        .at(5_000)
        .setsClocksWrong()
        .asks('ZADD z2 4 b')
        .meets('n1')
        .asks('EXISTS z2', 0)
        .asks('EXISTS s1', 0)
        .asks('ZRANGE z2 0 -1 WITHSCORES', [found, '4'])
    expect(late('b').accused).toBe(false)
    expect(late('c').accused).toBe(true)
  })

  test('late means between any two others', () => {
    const flushed = talk().asks('SET s1 a', 'OK').asks('FLUSHDB').meets('n1').asks('GET s1', 'a')
    // Only a flush before the second SET goes with the answers.
    flushed.asks('SET s2 b', 'OK').asks('MGET s1 s2', [null, 'b'])
    expect(flushed.accused).toBe(false)
  })

  test('of an earlier connection may be carried out before those of the last one', () => {
    const twoLanes = (found: string | null): Talk =>
      talk()
        .asks('SET s1 early')
        .meets('n1')
        .asks('GET s1', null)
        .asks('SET s1 late NX')
        .asks('SET s2 late')
        .meets('n1')
        .asks('MGET s1 s2', [found, 'late'])
    // Both went to a node that hung: it reads one connection to its end, and then the other.
    expect(twoLanes('early').accused).toBe(false)
    expect(twoLanes('late').accused).toBe(false)
    expect(twoLanes('nobody').accused).toBe(true)
  })

  test('goes with one that its successor left without an answer, too (seed 20799)', () => {
    const late = talk().asks('SET s1 a', 'OK').asks('SET s2 late').meets('n1')
    const open = late.transacts(['GET s1', 'GET s2'], ['a', null]).asks('SWAPDB 1 2', 'OK')
    const looks = ['GET h1', 'SELECT 2', 'GET s2', 'SELECT 1']
    const seen = open.asks('SET h1 open').meets('n1').transacts(looks, ['open', 'OK', 'late', 'OK'])
    expect(seen.accused).toBe(false)
  })

  test('is seen beside before the connection that shows no trace of it has ended (seed 23960)', () => {
    const late = talk().asks('SET s1 a', 'OK').asks('FLUSHDB').meets('n1').asks('GET s1', 'a')
    const unseen = late.asks('SET s2 b', 'OK').asks('GET s2', 'b')
    const beside = unseen.beside('n1').transacts(['GET s1', 'GET s2'], [null, 'b'])
    for (let more = 0; more < 3; more++) beside.meets('n1').asks('GET s2', 'b')
    expect(beside.accused).toBe(false)
  })

  test('others before it may have been refused', () => {
    const some = talk().asks('SET s1 a').asks('SET s2 b').meets('n1')
    expect(some.asks('MGET s1 s2', [null, 'b']).accused).toBe(false)
  })
})

test('a search that was cut short accuses nobody', () => {
  const wrong = (): Talk => talk().asks('INCR n1').asks('INCR n1').meets('n1').asks('GET n1', '9')
  expect(wrong().accused).toBe(true)
  expect(wrong().within(4).accused).toBe(false)
})

test('nor one that has seen a part of what many unanswered requests may have done (strict, seed 730867)', () => {
  const asked = talk()
  const keys = Array.from({ length: 57 }, (_, at) => `k${at}`)
  for (const [at, key] of keys.entries()) {
    if (at % 19 === 0) asked.meets('n1')
    asked.asks(`SET ${key} v`)
  }
  asked.meets('n1').asks('SET none v XX').asks('SET none v XX').asks('SET last v')
  asked.meets('n2')
  for (const key of [...keys, 'last']) asked.asks(`GET ${key}`, 'v')
  expect(asked.accused).toBe(false)
})

describe('a key with an expiry', () => {
  const mortal = (): Talk => talk().asks('SET s1 a PX 10000', 'OK')

  test('lives until then, and not after', () => {
    expect(mortal().at(5_000).asks('GET s1', null).accused).toBe(true)
    expect(mortal().at(20_000).asks('GET s1', 'a').accused).toBe(true)
    expect(mortal().at(5_000).asks('GET s1', 'a').at(20_000).asks('GET s1', null).accused).toBe(
      false,
    )
  })

  test('may be gone or not while clocks disagree', () => {
    expect(mortal().at(11_000).asks('GET s1', null).accused).toBe(false)
    expect(mortal().at(11_000).asks('GET s1', 'a').accused).toBe(false)
  })

  test('is gone for good once it was not found', () => {
    const gone = mortal().at(11_000).asks('GET s1', null).at(11_010)
    expect(gone.asks('GET s1', 'a').accused).toBe(true)
  })

  test('is counted on by a node that may take nothing away, and by no other', () => {
    const held = (): Talk => mortal().at(20_000).transacts(['GET s1', 'DBSIZE'], [null, 1])
    expect(held().accused).toBe(true)
    expect(held().holdsWritesBack().accused).toBe(false)
  })

  test('is counted by a node that answers late: it may have hung, and have taken nothing away yet (seed 28688)', () => {
    const counted = (tookMs: number): Talk => mortal().at(20_000).taking(tookMs).asks('DBSIZE', 1)
    expect(counted(50).accused).toBe(true)
    expect(counted(500).accused).toBe(false)
  })

  test('costs nothing to follow, however many may have died', () => {
    const many = talk().setsClocksWrong()
    const keys = Array.from({ length: 40 }, (_, at) => `s${at}`)
    for (const key of keys) many.asks(`SET ${key} a PX 10000`, 'OK')
    many.asks('DBSIZE', 3).meets('n1').asks('DBSIZE', 5)
    expect(many.asks('KEYS *', keys.slice(0, 4)).accused).toBe(false)
    expect(many.asks('KEYS *', ['another']).accused).toBe(true)
  })

  test('may die at any time when a clock was set wrong', () => {
    const early = talk().setsClocksWrong().asks('SET s1 a PX 10000', 'OK').at(5_000)
    expect(early.asks('GET s1', null).accused).toBe(false)
  })
})

describe('what is missing in the end', () => {
  const written = (): DataStory => talk().asks('SET s1 a', 'OK').asks('INCR n1', 1).story

  test('is each acknowledged write that the state found there does not come from', () => {
    const operations = (missing: ReadonlySet<Write> | undefined) => missing?.size
    expect(operations(written().missingIn(lookWith({ s1: 'a', n1: '1' })))).toBe(0)
    expect(operations(written().missingIn(lookWith({ s1: 'a' })))).toBe(1)
    expect(operations(written().missingIn(lookWith({})))).toBe(2)
  })

  test('is what the way that keeps most has lost, where several end in one state (seed 20058)', () => {
    const emptied = talk().asks('SET s1 a', 'OK').asks('INCR n1', 1).asks('DEL n1', 1)
    const story = emptied
      .asks('DEL s1', 1)
      .meets('n2')
      .asks('GET h1', null)
      .asks('FLUSHALL', 'OK').story
    expect(story.missingIn(lookWith({}))?.size).toBe(0)
  })

  test('is unknown if it may have been taken away by a late FLUSHDB (seed 24700)', () => {
    const swept = talk().asks('SET s2 a', 'OK').asks('FLUSHDB').meets('n1').asks('SET s1 b', 'OK')
    const { story } = swept.meets('n1').asks('SET n1 1', 'OK')
    expect(story.missingIn(lookWith({ n1: '1' }))).toBeUndefined()
    expect(story.violations).toEqual([])
  })

  test('a state that never was is caught', () => {
    const story = written()
    expect(story.missingIn(lookWith({ n1: '1' }))).toBeUndefined()
    expect(story.violations.map(({ checker }) => checker)).toEqual([CHECKER])
  })

  test('is unknown when too many states are possible, without making all of them (strict, seed 300660)', () => {
    const members = Array.from({ length: 30 }, (_, at) => `m${at}`).join(' ')
    const asked = talk().asks(`SADD e1 ${members}`, 30)
    for (let count = 0; count < 6; count++) asked.asks('SPOP e1')
    const { story } = asked
    expect(story.missingIn(lookWith({}))).toBeUndefined()
    expect(story.violations).toEqual([])
  })
})
