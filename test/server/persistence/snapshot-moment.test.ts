/**
 * A save stands for the moment it began at, whatever is done between any two of its steps; and whatever
 * step the disk fails at, or the power is cut at, the file is that of the last save that succeeded.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import type { Keyspace } from '../../../src/server/keyspace/keyspace.ts'
import { sized } from '../../support/sized.ts'
import { restarted, SlowDisk } from '../../support/slow-disk.ts'
import { contentsOf } from '../../support/value-contents.ts'

const RUNS = sized(25, 60)
/** On a machine that is busy with something else. */
const BOUND_MS = 60_000

const key = fc.integer({ min: 0, max: 19 }).map((number) => `k${number}`)
const word = fc.constantFrom('a', 'b', 'c', 'x'.repeat(3000))
const command = fc.oneof(
  fc.tuple(fc.constant('SET'), key, word),
  fc.tuple(fc.constant('APPEND'), key, word),
  fc.tuple(fc.constant('RPUSH'), key, word, word),
  fc.tuple(fc.constant('LPOP'), key),
  fc.tuple(fc.constant('SADD'), key, word),
  fc.tuple(fc.constant('SREM'), key, word),
  fc.tuple(fc.constant('HSET'), key, word, word),
  fc.tuple(fc.constant('ZADD'), key, fc.constantFrom('1', '2'), word),
  fc.tuple(fc.constant('DEL'), key),
  fc.tuple(fc.constant('RENAME'), key, key),
  fc.tuple(fc.constant('PEXPIRE'), key, fc.constantFrom('20', '1000000')),
  fc.tuple(fc.constant('PERSIST'), key),
  fc.tuple(fc.constant('SELECT'), fc.constantFrom('0', '1')),
  fc.constant(['FLUSHDB']),
  fc.constant(['SWAPDB', '0', '1']),
)
const commands = (maxLength: number) => fc.array(command, { maxLength })

/** Everything there is; members and fields in an order of their own do not matter. */
function picture({ dbs }: Keyspace): string {
  const all = dbs.map(({ entries }) =>
    [...entries]
      .map(([name, { value, expireAtMs }]) => [name, expireAtMs, value.type, contents(value)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
  return JSON.stringify(all)
}

function contents(value: Parameters<typeof contentsOf>[0]): unknown {
  const all = contentsOf(value)
  return value.type === 'set' || value.type === 'hash' ? [...(all as unknown[])].sort() : all
}

/** Many keys that stay, so that a save takes several steps. */
function filled(before: readonly (readonly string[])[]): SlowDisk {
  const harness = new SlowDisk({ save: '', rdbcompression: 'no' })
  const client = harness.client()
  for (let number = 0; number < 150; number++)
    client.send('SET', `filler ${number}`, `${number}`.padEnd(2000))
  for (const argv of before) client.send(...argv)
  harness.disk.isSlow = true
  return harness
}

test(
  'what is loaded is what there was when the save began',
  () => {
    fc.assert(
      fc.property(commands(40), fc.array(commands(15), { maxLength: 12 }), (before, between) => {
        const harness = filled(before)
        const client = harness.client()
        const expected = picture(harness.node.keyspace)
        client.say('BGSAVE')
        for (const step of between) {
          for (const argv of step) client.send(...argv)
          harness.advance(10)
          if (harness.asked !== undefined) harness.answer()
        }
        harness.answerAll()
        // As a replica, so that nothing is left out.
        const loaded = restarted(harness.files, { replicaof: '127.0.0.1 1' })
        expect(loaded.exitStatus).toBeUndefined()
        expect(picture(loaded.node.keyspace)).toBe(expected)
      }),
      { numRuns: RUNS },
    )
  },
  BOUND_MS,
)

test(
  'a step that fails, or a power cut at any step, leaves the save before it',
  () => {
    const steps = fc.integer({ min: 0, max: 12 })
    fc.assert(
      fc.property(
        commands(20),
        commands(20),
        steps,
        fc.boolean(),
        fc.integer(),
        (before, after, at, isPowerCut, seed) => {
          const harness = filled(before)
          const client = harness.client()
          client.say('BGSAVE')
          const first = picture(harness.node.keyspace)
          harness.answerAll()
          for (const argv of after) client.send(...argv)
          const second = picture(harness.node.keyspace)
          client.say('BGSAVE')
          for (let step = 0; step < at && harness.asked !== undefined; step++) harness.answer()
          const isDone = harness.asked === undefined
          if (isPowerCut) {
            harness.files.losePower(createRng(`power ${seed}`))
            harness.disk.held.length = 0
          } else if (!isDone) {
            harness.fail('EIO')
            harness.answerAll()
          }
          const loaded = restarted(harness.files, { replicaof: '127.0.0.1 1' })
          expect(picture(loaded.node.keyspace)).toBe(isDone ? second : first)
          expect(harness.files.paths()).toEqual(['dump.rdb'])
        },
      ),
      { numRuns: RUNS },
    )
  },
  BOUND_MS,
)
