/**
 * Large collections of every type that change while a snapshot still has to write them: between slices
 * of every size, by every kind of command. What is written is the moment it began at, and the collection
 * itself is what it would be without a snapshot.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRng, type Rng } from '../../../src/base/rng.ts'
import { commandForm } from '../../../src/server/aof/command-form.ts'
import { LogReader } from '../../../src/server/aof/log-reader.ts'
import type { Keyspace } from '../../../src/server/keyspace/keyspace.ts'
import { RdbReader } from '../../../src/server/rdb/rdb-reader.ts'
import { Snapshot } from '../../../src/server/rdb/snapshot.ts'
import { KeptElements } from '../../../src/server/values/kept-elements.ts'
import { TableFields, TableMembers } from '../../../src/server/values/large.ts'
import type { StreamEntries } from '../../../src/server/values/stream.ts'
import { byName } from '../../../src/server/values/stream-group.ts'
import type { Value } from '../../../src/server/values/value.ts'
import { emptyTables, KEY_HASH } from '../../support/key-tables.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { sized } from '../../support/sized.ts'
import { contentsOf } from '../../support/value-contents.ts'

const RUNS = sized(12, 40)
/** Comparing everything takes long. */
const SLICES_PER_LOOK = 12
/** Enough for chunks, blocks and nodes to be split, and for a record to take many slices. */
const ELEMENTS = 700
/** On a machine that is busy with something else. */
const BOUND_MS = 60_000

const KEYS = ['list', 'set', 'hash', 'zset', 'stream'] as const
type Key = (typeof KEYS)[number]
type Argv = readonly string[]

function filling(key: Key): Argv {
  const numbers = Array.from({ length: ELEMENTS }, (_, number) => number)
  switch (key) {
    case 'list':
      return ['RPUSH', key, ...numbers.map((number) => `item ${number}`)]
    case 'set':
      return ['SADD', key, ...numbers.map((number) => `element ${number}`)]
    case 'hash':
      return ['HSET', key, ...numbers.flatMap((number) => [`element ${number}`, `${number}`])]
    case 'zset':
      return ['ZADD', key, ...numbers.flatMap((number) => [`${number % 50}`, `element ${number}`])]
    case 'stream':
      return ['XGROUP', 'CREATE', key, 'g', '0', 'MKSTREAM']
  }
}

function fill(say: (argv: Argv) => void): void {
  for (const key of KEYS) say(filling(key))
  for (let number = 1; number <= ELEMENTS; number++)
    say(['XADD', 'stream', `${number}-1`, 'f', `value ${number}`])
  say(['XREADGROUP', 'GROUP', 'g', 'alice', 'COUNT', '300', 'STREAMS', 'stream', '>'])
  say(['XREADGROUP', 'GROUP', 'g', 'bob', 'COUNT', '150', 'STREAMS', 'stream', '>'])
}

/** Half of them are there from the start; few enough for elements to go and come back. */
const element = (rng: Rng) => `element ${rng.below(2 * ELEMENTS)}`
const id = (rng: Rng) => `${1 + rng.below(ELEMENTS)}-1`
const who = (rng: Rng) => rng.pick(['alice', 'bob', 'carol'])

const CHANGES: Readonly<Record<Key, readonly ((rng: Rng) => Argv)[]>> = {
  list: [
    (rng) => ['LPUSH', 'list', element(rng), element(rng)],
    (rng) => ['RPUSH', 'list', ...Array.from({ length: rng.below(40) + 1 }, () => element(rng))],
    (rng) => ['LPOP', 'list', `${rng.below(60)}`],
    (rng) => ['RPOP', 'list', `${rng.below(60)}`],
    (rng) => ['LSET', 'list', `${rng.below(400) - 200}`, element(rng)],
    () => ['LMOVE', 'list', 'list', 'RIGHT', 'LEFT'],
    (rng) => ['LINSERT', 'list', 'BEFORE', `item ${rng.below(ELEMENTS)}`, element(rng)],
    (rng) => ['LREM', 'list', '0', `item ${rng.below(ELEMENTS)}`],
    (rng) => ['LTRIM', 'list', `${rng.below(5)}`, `${-1 - rng.below(5)}`],
    (rng) => ['LTRIM', 'list', '0', `${rng.below(300)}`],
  ],
  set: [
    (rng) => ['SADD', 'set', element(rng), element(rng)],
    (rng) => ['SREM', 'set', ...Array.from({ length: rng.below(80) + 1 }, () => element(rng))],
    (rng) => ['SPOP', 'set', `${rng.below(20)}`],
    (rng) => ['SMOVE', 'set', 'other', element(rng)],
  ],
  hash: [
    (rng) => ['HSET', 'hash', element(rng), `new ${rng.below(10)}`, element(rng), ''],
    (rng) => ['HDEL', 'hash', ...Array.from({ length: rng.below(80) + 1 }, () => element(rng))],
    (rng) => ['HSETNX', 'hash', element(rng), 'only if new'],
    (rng) => [
      'HPEXPIREAT',
      'hash',
      `${2e12 + rng.below(2) * rng.below(2 ** 34)}`,
      'FIELDS',
      '3',
      element(rng),
      element(rng),
      element(rng),
    ],
    (rng) => ['HPERSIST', 'hash', 'FIELDS', '2', element(rng), element(rng)],
  ],
  zset: [
    (rng) => ['ZADD', 'zset', `${rng.below(60)}`, element(rng)],
    (rng) => ['ZREM', 'zset', ...Array.from({ length: rng.below(80) + 1 }, () => element(rng))],
    (rng) => ['ZINCRBY', 'zset', '0.5', element(rng)],
    (rng) => ['ZPOPMIN', 'zset', `${rng.below(20)}`],
    (rng) => ['ZREMRANGEBYRANK', 'zset', '100', `${100 + rng.below(60)}`],
  ],
  stream: [
    (rng) => ['XADD', 'stream', '*', 'f', `new ${rng.below(10)}`],
    (rng) => ['XDEL', 'stream', id(rng), id(rng)],
    (rng) => ['XTRIM', 'stream', 'MAXLEN', '~', `${300 + rng.below(400)}`],
    (rng) => ['XTRIM', 'stream', 'MINID', id(rng)],
    (rng) => ['XACK', 'stream', 'g', id(rng), id(rng), id(rng)],
    (rng) => ['XCLAIM', 'stream', 'g', who(rng), '0', id(rng), id(rng)],
    (rng) => ['XREADGROUP', 'GROUP', 'g', who(rng), 'COUNT', '9', 'STREAMS', 'stream', '>'],
    (rng) => ['XREADGROUP', 'GROUP', 'g', who(rng), 'COUNT', '9', 'STREAMS', 'stream', '0'],
    (rng) => ['XGROUP', 'DELCONSUMER', 'stream', 'g', who(rng)],
    (rng) => ['XGROUP', 'CREATE', 'stream', `g${rng.below(3)}`, '0'],
    (rng) => ['XGROUP', 'DESTROY', 'stream', `g${rng.below(3)}`],
    (rng) => ['XSETID', 'stream', `9${rng.below(10)}0000000000000-0`],
  ],
}
const ON_KEYS: readonly ((rng: Rng) => Argv)[] = [
  (rng) => ['DEL', rng.pick(KEYS)],
  (rng) => ['RENAME', rng.pick(KEYS), 'renamed'],
  (rng) => ['COPY', rng.pick(KEYS), 'copied', 'REPLACE'],
  (rng) => ['PEXPIREAT', rng.pick(KEYS), '2000000000000'],
  () => ['SUNIONSTORE', 'set', 'set', 'other'],
]

/** As collections of many more elements stand in them. */
function putInTables({ dbs }: Keyspace): void {
  for (const [, { value }] of dbs[0]?.entries ?? []) {
    if (value.type === 'set') value.members = new TableMembers(KEY_HASH, value.members)
    if (value.type === 'hash') value.fields = new TableFields(KEY_HASH, value.fields)
    if (value.type === 'zset') value.set.enlarge(KEY_HASH)
  }
}

/** A node that a snapshot is made of, and one that does the same without. */
class Twins {
  readonly node = new NodeHarness({ save: '' })
  readonly twin = new NodeHarness({ save: '' })
  readonly #client = this.node.client()
  readonly #twinClient = this.twin.client()
  readonly #rng: Rng

  constructor(seed: string, inTables: boolean) {
    this.#rng = createRng(seed)
    fill((argv) => this.#say(argv))
    if (inTables) for (const { node } of [this.node, this.twin]) putInTables(node.keyspace)
  }

  change(): void {
    const key = this.#rng.pick(KEYS)
    const makes = this.#rng.below(25) === 0 ? ON_KEYS : CHANGES[key]
    this.#say(this.#rng.pick(makes)(this.#rng))
  }

  compare(): void {
    expect(picture(this.node.node.keyspace, false)).toEqual(picture(this.twin.node.keyspace, false))
  }

  /** Which members are drawn depends on the order they are kept in. */
  #say(argv: Argv): void {
    const reply = this.#client.send(...argv)
    if (argv[0] !== 'SPOP') this.#twinClient.send(...argv)
    else
      this.#twinClient.send('SREM', 'set', ...reply.split('\r\n').filter((word) => /^e/.test(word)))
  }
}

/** `isLog`: what commands can say. */
function picture({ dbs }: Pick<Keyspace, 'dbs'>, isLog: boolean): unknown {
  const all = [...(dbs[0]?.entries ?? [])].map(([key, { value, expireAtMs }]) => {
    return [key, expireAtMs, contents(value, isLog)] as const
  })
  return all.sort(([a], [b]) => (a < b ? -1 : 1))
}

function contents(value: Value, isLog: boolean): unknown {
  if (value.type === 'stream' && isLog) return logged(value.stream)
  const found = contentsOf(value)
  return value.type === 'set' || value.type === 'hash' ? (found as unknown[]).sort() : found
}

/** Without when a consumer was seen, and without what is pending of entries that are gone. */
function logged(stream: StreamEntries): unknown {
  const groups = byName(stream.groups).map(([name, { lastId, consumers }]) => {
    const pending = byName(consumers).map(([consumer, { pending }]) => {
      const left = [...pending.entries()].filter(([id]) => stream.get(id) !== undefined)
      return [consumer, left.map(([id, each]) => [id, each.deliveredAtMs, each.deliveries])]
    })
    return [name, lastId, pending]
  })
  return [[...stream.range()], stream.lastId, stream.entriesAdded, groups]
}

function loaded(payload: string, isLog: boolean): unknown {
  if (isLog) return picture(carriedOut(payload).node.keyspace, true)
  const progress = new RdbReader(emptyTables(16), 0).push(payload)
  if (progress.kind !== 'done') throw new Error(JSON.stringify(progress))
  return picture({ dbs: progress.contents.dbs.map((entries) => ({ entries })) } as never, false)
}

function carriedOut(log: string): NodeHarness {
  const reader = new LogReader()
  reader.push(log)
  const harness = new NodeHarness({ save: '' })
  const client = harness.client()
  for (let step = reader.next(); step !== 'more'; step = reader.next()) {
    if ('kind' in step) throw new Error(step.reason)
    client.send(...step)
  }
  return harness
}

/** How many elements are changed between two slices, and how large the next slice is. */
const steps = fc.array(
  fc.record({
    changes: fc.nat(12),
    sliceBytes: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 301, max: 20_000 })),
  }),
  { minLength: 5, maxLength: 60 },
)

test.each([
  ['an RDB payload', false, false],
  ['commands', true, false],
  ['an RDB payload, from tables of keys,', false, true],
  ['commands, from tables of keys,', true, true],
])(
  'large collections that change meanwhile are written as %s of the moment',
  (_name, isLog, inTables) => {
    fc.assert(
      fc.property(fc.string(), steps, fc.nat(60), (seed, slices, stopAt) => {
        const twins = new Twins(seed, inTables)
        const { keyspace } = twins.node.node
        const form = isLog ? commandForm([]) : undefined
        // One that is given up leaves nothing behind.
        const first = new Snapshot(keyspace, [], () => undefined, { form })
        for (const { changes, sliceBytes } of slices.slice(0, stopAt)) {
          for (let left = changes; left > 0; left--) twins.change()
          first.advance(sliceBytes)
        }
        first.stop()
        const expected = picture(keyspace, isLog)
        let payload = ''
        const snapshot = new Snapshot(keyspace, [], (bytes) => (payload += bytes), { form })
        for (const [step, { changes, sliceBytes }] of slices.entries()) {
          for (let left = changes; left > 0; left--) twins.change()
          snapshot.advance(sliceBytes)
          if (step % SLICES_PER_LOOK === 0) twins.compare()
        }
        while (!snapshot.isOver) snapshot.advance(3000)
        expect(loaded(payload, isLog)).toEqual(expected)
        twins.compare()
        expect(kept(keyspace)).toEqual([])
      }),
      { numRuns: RUNS, seed: 1 },
    )
  },
  BOUND_MS,
)

/** Keys of sets and hashes that still note what changes. */
function kept({ dbs }: Keyspace): string[] {
  const all = [...(dbs[0]?.entries ?? [])].filter(([, { value }]) => {
    if (value.type === 'set') return value.members instanceof KeptElements
    return value.type === 'hash' && value.fields instanceof KeptElements
  })
  return all.map(([key]) => key)
}
