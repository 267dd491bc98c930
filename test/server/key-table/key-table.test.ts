/** The table of keys, beside a Map that is asked the same. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { createKeyHash, type KeyHash } from '../../../src/server/key-table/key-hash.ts'
import { homeOf, Segment } from '../../../src/server/key-table/key-segment.ts'
import { KeyTable } from '../../../src/server/key-table/key-table.ts'
import { ScanCursors } from '../../../src/server/keyspace/scan.ts'
import { KEY_HASH } from '../../support/key-tables.ts'
import { propertySeed } from '../../support/property-seed.ts'

const SEED = { seed: propertySeed() }

const HASHES: readonly (readonly [name: string, hash: KeyHash])[] = [
  ['of good hashes', KEY_HASH],
  ['of hashes that are all alike', () => 0x12345678],
  ['of two hashes that differ in their last bit', (key) => -1 << (KEY_HASH(key) & 1)],
  ['of hashes that differ far up', (key) => (KEY_HASH(key) & 3) << 18],
  ['of hashes that differ nowhere below', (key) => (KEY_HASH(key) & 7) << 29],
]

/** Its lower bits are the number of the key: so steps that skip keys fill and empty single segments. */
const NUMBERED: KeyHash = (key) => (KEY_HASH(key) & ~0xfff) | (Number(key.slice(1)) & 0xfff)

const CLASSES = 10

/** In class n the lower bits are n zeros and a one: the segments have very different depths. */
const UNEVEN: KeyHash = (key) => {
  const rank = Number(key.slice(1)) % CLASSES
  return (KEY_HASH(key) << (rank + 1)) | (1 << rank)
}

/** Steps on so many keys: blocks of keys are set or deleted, so that tables grow and shrink. */
type Step = readonly [
  kind: 'set' | 'delete' | 'walk' | 'go on',
  from: number,
  count: number,
  step: number,
]

function steps(keys: number): fc.Arbitrary<Step[]> {
  const kind = fc.constantFrom('set', 'delete', 'walk', 'go on') as fc.Arbitrary<Step[0]>
  const step = fc.tuple(kind, fc.nat(keys), fc.nat(keys), fc.constantFrom(1, 2, 3, 4, 8, 16))
  return fc.array(step, { maxLength: 24 })
}

function* keysOf([, from, count, step]: Step, keys: number): Iterable<string> {
  for (let n = 0; n < count; n += step) yield `k${(from + n) % keys}`
}

/** A walk, and what it has to meet and may not. */
class WatchedWalk {
  readonly #walk: Iterator<[string, number]>
  readonly #throughout: Set<string>
  readonly #met = new Set<string>()

  constructor(table: KeyTable<number>) {
    this.#walk = table.entries()
    this.#throughout = new Set(table.keys())
  }

  deleted(key: string): void {
    this.#throughout.delete(key)
    this.#met.delete(key)
  }

  goOn(count: number, model: Map<string, number>): void {
    for (let n = 0; n < count; n++) {
      const { done, value } = this.#walk.next()
      if (done === true) {
        expect([...this.#throughout].filter((key) => !this.#met.has(key))).toEqual([])
        return
      }
      expect(model.get(value[0])).toBe(value[1])
      expect(this.#met.has(value[0])).toBe(false)
      this.#met.add(value[0])
    }
  }
}

class Trial {
  readonly table: KeyTable<number>
  readonly #model = new Map<string, number>()
  readonly #walks: WatchedWalk[] = []
  readonly #keys: number
  #clock = 0

  constructor(hash: KeyHash, keys: number) {
    this.table = new KeyTable(hash)
    this.#keys = keys
  }

  perform(step: Step): void {
    if (step[0] === 'walk') this.#walks.push(new WatchedWalk(this.table))
    if (step[0] === 'go on') for (const walk of this.#walks) walk.goOn(step[2], this.#model)
    if (step[0] === 'set') for (const key of keysOf(step, this.#keys)) this.#set(key)
    if (step[0] === 'delete') for (const key of keysOf(step, this.#keys)) this.#delete(key)
    expect(this.table.size).toBe(this.#model.size)
  }

  finish(): void {
    for (let n = 0; n < this.#keys; n++) {
      const key = `k${n}`
      if (this.table.get(key) !== this.#model.get(key)) expect([key, 'differs']).toEqual([])
      if (this.table.has(key) !== this.#model.has(key)) expect([key, 'differs']).toEqual([])
    }
    for (const walk of this.#walks) walk.goOn(Number.POSITIVE_INFINITY, this.#model)
    expect(new Map(this.table)).toEqual(this.#model)
    expect([...this.table.keys()]).toEqual([...this.table].map(([key]) => key))
    expect([...this.table.values()]).toEqual([...this.table].map(([, value]) => value))
  }

  #set(key: string): void {
    const value = ++this.#clock
    if (value % 3 > 0) this.table.set(key, value)
    else if (!this.table.add(key, value)) return
    this.#model.set(key, value)
  }

  #delete(key: string): void {
    for (const walk of this.#walks) walk.deleted(key)
    expect(this.table.delete(key)).toBe(this.#model.delete(key))
  }
}

function filled(count: number, hash = KEY_HASH): KeyTable<number> {
  const table = new KeyTable<number>(hash)
  for (let n = 0; n < count; n++) table.add(`k${n}`, n)
  return table
}

/** Every second position is free. */
function sparse(positions: number): KeyTable<number> {
  const table = filled(positions)
  for (let n = 1; n < positions; n += 2) table.delete(`k${n}`)
  return table
}

describe('a table', () => {
  const numbered = ['of numbered hashes', NUMBERED] as const
  for (const [name, hash] of [...HASHES, numbered]) {
    const isGood = hash === KEY_HASH || hash === NUMBERED
    const [keys, numRuns] = isGood ? [3600, 15] : [300, 25]
    test(`${name} is what a Map is, and so is every walk through it`, () => {
      fc.assert(
        fc.property(steps(keys), (all) => {
          const trial = new Trial(hash, keys)
          for (const step of all) trial.perform(step)
          trial.finish()
        }),
        { ...SEED, numRuns },
      )
    })
  }

  test('loses no key while segments of very different depths are split and joined', () => {
    const table = filled(12_000, UNEVEN)
    const isLeft = (n: number, round: number) => n % 20 === 0 || n % CLASSES > round
    for (let round = 0; round < CLASSES; round++) {
      for (let n = 0; n < 12_000; n++) if (!isLeft(n, round)) table.delete(`k${n}`)
      for (let n = 0; n < 12_000; n++) {
        if (table.has(`k${n}`) !== isLeft(n, round)) expect([n, round]).toEqual([])
      }
    }
    for (let n = 0; n < 12_000; n++) table.set(`k${n}`, -n)
    for (let n = 0; n < 12_000; n++) if (table.get(`k${n}`) !== -n) expect(n).toBe(-1)
  })

  test('adds nothing that is there already', () => {
    const table = filled(1)
    expect([table.add('k0', 7), table.get('k0'), table.size]).toEqual([false, 0, 1])
  })

  test('has the order of insertion as long as nothing is deleted, and again once it was empty', () => {
    const table = filled(3000)
    const inOrder = Array.from({ length: 3000 }, (_, n) => `k${n}`)
    expect([...table.keys()]).toEqual(inOrder)
    for (const key of inOrder) table.delete(key)
    for (const key of inOrder.toReversed()) table.set(key, 0)
    expect([...table.keys()]).toEqual(inOrder.toReversed())
  })

  test('has an order that does not depend on the hash', () => {
    const orders = ['one', 'another'].map((seed) => {
      const table = filled(2000, createKeyHash(createRng(seed)))
      for (let n = 0; n < 2000; n += 3) table.delete(`k${n}`)
      for (let n = 0; n < 900; n++) table.set(`l${n}`, n)
      return [...table.keys()]
    })
    expect(orders[0]).toEqual(orders[1])
  })

  test('puts what is new where something was deleted, so that churn takes no memory', () => {
    const table = filled(1000)
    const before = table.facts().pages
    for (let n = 0; n < 20_000; n++) {
      table.delete(`k${n}`)
      table.set(`k${n + 1000}`, n)
    }
    const { pages, slots } = table.facts()
    expect([pages, slots <= 4096]).toEqual([before, true])
  })
})

describe('the work of one operation', () => {
  /** The most moves of one step, and of all together per step. */
  function movesOf(table: KeyTable<number>, count: number, step: (n: number) => void) {
    const start = table.facts().moves
    let most = 0
    for (let n = 0, before = start; n < count; n++) {
      step(n)
      const after = table.facts().moves
      most = Math.max(most, after - before)
      before = after
    }
    return { most, average: (table.facts().moves - start) / count }
  }

  test('is at most one segment when a table grows, and few moves on average', () => {
    const table = filled(0)
    const { most, average } = movesOf(table, 30_000, (n) => table.set(`k${n}`, n))
    expect(most).toBeLessThanOrEqual(768)
    expect(average).toBeLessThan(3)
  })

  test('is at most one segment when a table shrinks, and few moves on average', () => {
    const table = filled(30_000)
    const { most, average } = movesOf(table, 30_000, (n) => table.delete(`k${n}`))
    expect(most).toBeLessThanOrEqual(768)
    expect(average).toBeLessThan(1)
  })

  test('is at most one segment when the keys of some segments go, and those of others stay', () => {
    const table = filled(11_200, NUMBERED)
    for (const rest of [1, 2, 7]) {
      const { most } = movesOf(table, 700, (n) => table.delete(`k${16 * n + rest}`))
      expect(most).toBeLessThanOrEqual(768)
    }
  })

  test('is small around a bound that is crossed again and again', () => {
    for (const keys of [6, 96, 768, 6000, 9000]) {
      const table = filled(keys)
      const { average } = movesOf(table, 4000, (n) => {
        if (n % 4 < 2) table.set(`x${n % 4}`, n)
        else table.delete(`x${(n % 4) - 2}`)
      })
      expect(average).toBeLessThan(1)
    }
  })

  test('does not double the directory for hashes that cannot be told apart', () => {
    for (const [name, hash] of HASHES.slice(1, 5)) {
      const table = filled(770, hash)
      for (let round = 0; round < 8; round++) {
        for (let n = 0; n < 550; n++) table.delete(`k${n}`)
        for (let n = 0; n < 550; n++) table.set(`k${n}`, n)
      }
      expect([name, table.facts().pointers <= 16]).toEqual([name, true])
    }
  })
})

test('a search in a segment is short although all its keys have the lower bits of their hashes in common', () => {
  const segment = new Segment(10, 640)
  for (let n = 0; n < 700; n++) segment.put((KEY_HASH(`k${n}`) & ~0x3ff) | 5, n + 1)
  let steps = 0
  segment.cells.forEach((hash, at) => {
    if (at % 2 === 1 || segment.cells[at + 1] === 0) return
    steps += ((at - homeOf(hash, segment.cells)) & (segment.cells.length - 1)) / 2
  })
  expect(steps / 700).toBeLessThan(2)
})

describe('the memory of a table', () => {
  test('is that of an empty one when all keys are gone, in whatever order they go', () => {
    for (const stride of [1, 7, 11, 13, 17, 19, 23, 29]) {
      const table = filled(3000)
      for (let n = 0; n < 3000; n++) table.delete(`k${(n * stride) % 3000}`)
      const { moves: _, ...facts } = table.facts()
      expect(facts).toEqual({ pages: 0, segments: 1, slots: 8, pointers: 1 })
    }
  })

  test('is that of an empty one also when segments of great depth are the last to go', () => {
    const table = filled(12_000, UNEVEN)
    for (let rank = 0; rank < CLASSES; rank++) {
      for (let n = rank; n < 12_000; n += CLASSES) table.delete(`k${n}`)
    }
    const { moves: _, ...facts } = table.facts()
    expect(facts).toEqual({ pages: 0, segments: 1, slots: 8, pointers: 1 })
  })

  test('follows the number of keys in the index, and to whole pages in the columns', () => {
    const table = filled(40_000)
    const full = table.facts()
    expect(full.slots).toBeLessThan(40_000 * 3)
    expect(full.pages).toBe(Math.ceil(40_000 / 256))
    for (let n = 0; n < 39_700; n++) table.delete(`k${n}`)
    const { pages, slots, pointers } = table.facts()
    expect([pages, slots < 300 * 8, pointers <= 16]).toEqual([2, true, true])
  })
})

describe('a scan of a table', () => {
  test('meets each key that is there throughout once, whatever comes and goes between the pages', () => {
    const turn = fc.array(fc.nat(1199), { maxLength: 40 })
    fc.assert(
      fc.property(fc.array(turn), fc.integer({ min: 1, max: 120 }), (turns, count) => {
        const table = sparse(1200)
        const [stable, seen] = [new Set(table.keys()), [] as string[]]
        const scans = new ScanCursors(createRng('scan'))
        const left = [...turns]
        let cursor = '0'
        do {
          const page = scans.next(table, cursor, count)
          expect(page.keys.filter((key) => !table.has(key))).toEqual([])
          seen.push(...page.keys)
          cursor = page.cursor
          for (const number of left.pop() ?? []) {
            const key = `k${number}`
            stable.delete(key)
            if (!table.delete(key)) table.set(key, number)
          }
        } while (cursor !== '0')
        expect(seen.filter((key) => stable.has(key)).sort()).toEqual([...stable].sort())
      }),
      { ...SEED, numRuns: 60 },
    )
  })

  test('meets what was there although new keys stand before it', () => {
    const table = sparse(100)
    const scans = new ScanCursors(createRng('scan'))
    const first = scans.next(table, '0', 10)
    for (let n = 0; n < 50; n++) table.set(`new${n}`, n)
    const second = scans.next(table, first.cursor, 100)
    const old = Array.from({ length: 40 }, (_, n) => `k${20 + 2 * n}`)
    expect(second.keys.filter((key) => key.startsWith('k'))).toEqual(old)
    expect(second.cursor).toBe('0')
  })

  test('ends although keys are added, or replaced by others, as fast as it goes', () => {
    for (const isReplaced of [false, true]) {
      const table = filled(50)
      const scans = new ScanCursors(createRng('scan'))
      let [cursor, pages] = ['0', 0]
      do {
        const page = scans.next(table, cursor, 10)
        cursor = page.cursor
        if (isReplaced) for (const key of [...table.keys()].slice(0, 20)) table.delete(key)
        for (let n = 0; n < 20; n++) table.set(`new${pages}-${n}`, n)
      } while (cursor !== '0' && ++pages < 10)
      expect(pages).toBe(4)
    }
  })

  test('says with its last key that it is over, also when what stood behind it is gone', () => {
    const table = filled(20)
    for (let n = 10; n < 20; n++) table.delete(`k${n}`)
    const scans = new ScanCursors(createRng('scan'))
    expect(scans.next(table, '0', 10).cursor).toBe('0')
  })

  test('of a table that was emptied meanwhile ends', () => {
    const table = filled(600)
    const scans = new ScanCursors(createRng('scan'))
    const { cursor } = scans.next(table, '0', 500)
    for (let n = 0; n < 600; n++) table.delete(`k${n}`)
    expect(scans.next(table, cursor, 10)).toEqual({ cursor: '0', keys: [] })
  })
})

test('reading ahead finds the value of every key that is there, and of no other', () => {
  const table = filled(5000, KEY_HASH)
  const text = 'k17 k4999 k5000 k0'
  const spans = {
    count: 4,
    from: Int32Array.of(0, 4, 10, 16),
    to: Int32Array.of(3, 9, 15, 18),
    hashes: new Int32Array(4),
    keys: [],
  }
  const found: (number | undefined)[] = []
  table.preload(text, spans, found)
  expect(found).toEqual([17, 4999, undefined, 0])
  expect(spans.keys).toEqual(['k17', 'k4999', undefined, 'k0'])
  expect([...spans.hashes]).toEqual(['k17', 'k4999', 'k5000', 'k0'].map((key) => KEY_HASH(key)))
})
