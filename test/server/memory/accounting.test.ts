/** What is counted as values change is what one would count by looking at all of them. */
import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { CountedFields, CountedMembers } from '../../../src/server/values/counted.ts'
import { Deque } from '../../../src/server/values/deque.ts'
import { SortedSet } from '../../../src/server/values/sorted-set.ts'
import { copyValue, TextString, type Value } from '../../../src/server/values/value.ts'
import { valueBytes } from '../../../src/server/values/value-size.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { randomCommands } from '../../support/random-commands.ts'

/** The same value, made anew from its elements. */
function madeAnew(value: Value): Value {
  switch (value.type) {
    case 'string':
      return value instanceof TextString ? copyValue(value) : { type: 'string', bytes: value.bytes }
    case 'list':
      return { type: 'list', items: new Deque(value.items) }
    case 'set':
      return { type: 'set', members: new CountedMembers(value.members) }
    case 'hash':
      return { type: 'hash', fields: new CountedFields(value.fields) }
    case 'zset':
      return { type: 'zset', set: new SortedSet(value.set) }
    case 'stream':
      return copyValue(value)
  }
}

/** A list may have more room than it would get now: a power of two of places, of a word each. */
function isRoom(bytes: number): boolean {
  return bytes === 0 || (bytes > 0 && bytes % 64 === 0)
}

test.each([1, 2, 3, 4])(
  'after random commands of all types (%i), with and without a snapshot',
  (seed) => {
    const harness = new NodeHarness({ save: '' })
    const { keyspace } = harness.node.services
    const client = harness.client()
    const commands = randomCommands(createRng(`accounting ${seed}`))
    for (let round = 0; round < 10; round++) {
      if (round % 3 === 2) client.send('BGSAVE')
      for (let step = 0; step < 60; step++) client.send(...commands.next().value)
      harness.advance(500)
      keyspace.settle()
      for (const db of keyspace.dbs) {
        for (const [key, entry] of db.entries) {
          const recounted = valueBytes(madeAnew(entry.value))
          const what = `${key}, a ${entry.value.type}`
          if (entry.value.type === 'list') expect(isRoom(entry.bytes - recounted), what).toBe(true)
          else expect({ what, bytes: entry.bytes }).toEqual({ what, bytes: recounted })
        }
      }
    }
    client.send('FLUSHALL')
    expect(keyspace.heapBytes).toBe(new NodeHarness().node.keyspace.heapBytes)
  },
)
