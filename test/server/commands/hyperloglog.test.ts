/** HyperLogLogs: what Redis itself left behind is in test/diff; here, what must hold of any history. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cachedCardinality,
  densified,
  EMPTY_HLL,
  hllForm,
  hllRegisters,
  placeOf,
  REGISTERS,
  withCachedCardinality,
  withElement,
  withRegisters,
} from '../../../src/server/values/hyperloglog.ts'
import { cardinality } from '../../../src/server/values/hyperloglog-estimate.ts'
import { murmur64 } from '../../../src/server/values/murmur.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const MASK = 2n ** 64n - 1n
const elements = fc.array(fc.integer({ min: 0, max: 100_000 }).map(String), { maxLength: 400 })
const byteStrings = fc.uint8Array({ maxLength: 70 }).map((bytes) => String.fromCharCode(...bytes))

/** The definition, word for word, in numbers that are slow and cannot overflow. */
function plainMurmur(bytes: string, seed: bigint): bigint {
  const m = 0xc6a4a7935bd1e995n
  const word = (at: number, count: number) => {
    let value = 0n
    for (let i = count - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes.charCodeAt(at + i))
    return value
  }
  let hash = seed ^ ((BigInt(bytes.length) * m) & MASK)
  let at = 0
  for (; at + 8 <= bytes.length; at += 8) {
    let key = (word(at, 8) * m) & MASK
    key ^= key >> 47n
    hash = ((hash ^ ((key * m) & MASK)) * m) & MASK
  }
  if (at < bytes.length) hash = ((hash ^ word(at, bytes.length - at)) * m) & MASK
  hash = ((hash ^ (hash >> 47n)) * m) & MASK
  return hash ^ (hash >> 47n)
}

function filled(items: readonly string[], maxSparseBytes: number): string {
  let bytes = EMPTY_HLL
  for (const item of items) bytes = withElement(bytes, item, maxSparseBytes) ?? 'damaged'
  return bytes
}

function shown(bytes: string): string | undefined {
  return hllRegisters(bytes)?.join()
}

describe('the hash', () => {
  test('is MurmurHash64A', () => {
    fc.assert(
      fc.property(byteStrings, (bytes) => {
        const { high, low } = murmur64(bytes, 0xadc83b19)
        expect((BigInt(high) << 32n) | BigInt(low)).toBe(plainMurmur(bytes, 0xadc83b19n))
      }),
    )
  })

  test('gives a register and the length of a run', () => {
    fc.assert(
      fc.property(byteStrings, (bytes) => {
        const hash = plainMurmur(bytes, 0xadc83b19n)
        let rest = (hash >> 14n) | (1n << 50n)
        let count = 1
        for (; (rest & 1n) === 0n; rest >>= 1n) count++
        expect(placeOf(bytes)).toEqual({ index: Number(hash & 16383n), count })
      }),
    )
  })
})

describe('the sparse and the dense form', () => {
  test('hold the same registers after the same history', () => {
    fc.assert(
      fc.property(elements, fc.integer({ min: 0, max: 600 }), (items, maxSparseBytes) => {
        const registers = new Uint8Array(REGISTERS)
        for (const item of items) {
          const { index, count } = placeOf(item)
          registers[index] = Math.max(registers[index]!, count)
        }
        const wanted = registers.join()
        for (const limit of [0, maxSparseBytes, 100_000]) {
          expect(shown(filled(items, limit))).toBe(wanted)
        }
        expect(shown(densified(filled(items, 100_000))!)).toBe(wanted)
      }),
      { numRuns: 30 },
    )
  })

  test('merge to the registers of both', () => {
    fc.assert(
      fc.property(elements, elements, fc.integer({ max: 300, min: 0 }), (some, others, limit) => {
        const merged = withRegisters(
          filled(some, limit),
          hllRegisters(filled(others, 3000))!,
          limit,
        )
        expect(shown(merged!)).toBe(shown(filled([...some, ...others], 0)))
      }),
      { numRuns: 30 },
    )
  })

  test('change over when the limit is passed, and never back', () => {
    const items = Array.from({ length: 200 }, (_, n) => `item ${n}`)
    let bytes = EMPTY_HLL
    for (const item of items) {
      const before = hllForm(bytes)
      bytes = withElement(bytes, item, 100)!
      if (hllForm(bytes) === 'sparse') expect(bytes.length).toBeLessThanOrEqual(100)
      if (before === 'dense') expect(hllForm(bytes)).toBe('dense')
    }
    expect(hllForm(bytes)).toBe('dense')
    expect(bytes.length).toBe(16 + 12288)
  })
})

describe('the cardinality', () => {
  test('is right for few and near for many', () => {
    for (const count of [0, 1, 10, 100, 1000, 50_000]) {
      const items = Array.from({ length: count }, (_, n) => `element ${n}`)
      const estimate = cardinality(hllRegisters(filled(items, 3000))!)
      expect(Math.abs(estimate - count)).toBeLessThanOrEqual(count * 0.02)
    }
  })

  test('is what redis-server 7.0.15 computes, also from registers at their limit', () => {
    const registers = (of: (at: number) => number) =>
      new Uint8Array(16_384).map((_register, at) => of(at))
    expect(cardinality(registers((at) => (at % 4 === 0 ? 3 : 51)))).toBe(378_194)
    expect(cardinality(registers((at) => (at % 1000 === 0 ? 51 : at % 7)))).toBe(38_824)
    expect(BigInt(cardinality(registers((at) => (at % 8 === 0 ? 44 : 51))))).toBe(
      1_621_601_979_618_276_864n,
    )
  })

  test('of registers that nobody can have counted into is a number all the same, that of Redis', () => {
    const client = new NodeHarness().client()
    client.send('SET', 'full', `HYLL${'\0'.repeat(11)}\x80${'\xff'.repeat(12_288)}`)
    expect(client.send('PFCOUNT', 'full')).toBe(':-9223372036854775808\r\n')
    expect(client.send('PFCOUNT', 'full')).toBe(':-9223372036854775808\r\n')
    expect(client.send('PFCOUNT', 'full', 'none')).toBe(':-9223372036854775808\r\n')
  })

  test('is kept in the value until something is added', () => {
    const kept = withCachedCardinality(filled(['a', 'b'], 3000), 2)
    expect(cachedCardinality(kept)).toBe(2)
    expect(cachedCardinality(withElement(kept, 'a', 3000)!)).toBe(2)
    expect(cachedCardinality(withElement(kept, 'c', 3000)!)).toBeUndefined()
  })
})

describe('what is no HyperLogLog', () => {
  test('is told from one', () => {
    expect(hllForm(EMPTY_HLL)).toBe('sparse')
    for (const bytes of ['', 'HYLL', EMPTY_HLL.slice(0, 15), `XYLL${EMPTY_HLL.slice(4)}`]) {
      expect(hllForm(bytes)).toBeUndefined()
    }
  })

  test('is refused in words whatever its bytes', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    fc.assert(
      fc.property(byteStrings, fc.constantFrom('\0', '\x01'), (bytes, form) => {
        client.send('SET', 'k', `HYLL${form}${'\0'.repeat(10)}\x80${bytes}`)
        for (const argv of [
          ['PFADD', 'k', 'a'],
          ['PFCOUNT', 'k'],
          ['PFMERGE', 'd', 'k'],
        ]) {
          expect(client.send(...argv)).toMatch(/^(-INVALIDOBJ |-WRONGTYPE |:|\+OK)/)
        }
      }),
    )
  })
})

describe('PFCOUNT', () => {
  function replicaWith(bytes: string) {
    const harness = new NodeHarness()
    const client = harness.client()
    client.send('SET', 'k', bytes)
    client.say('REPLICAOF 127.0.0.1 1')
    return { harness, client }
  }

  test('tells replicas when it computed anew, and only then', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    const replica = harness.replica()
    client.say('PFADD k a b')
    client.say('PFCOUNT k')
    client.say('PFCOUNT k')
    client.say('PFCOUNT k missing')
    expect(replica.told()).toEqual(['SELECT 0', 'PFADD k a b', 'PFCOUNT k'])
  })

  test('changes nothing on a replica unless the master says so', () => {
    const bytes = filled(['a', 'b'], 3000)
    const { harness, client } = replicaWith(bytes)
    expect(client.say('PFCOUNT k')).toBe(':2\r\n')
    expect(client.say('GET k')).toContain(bytes)
    harness.node.services.streamTarget.apply(['PFCOUNT', 'k'])
    expect(client.say('GET k')).toContain(withCachedCardinality(bytes, 2))
  })
})
