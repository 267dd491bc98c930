import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Backlog } from '../../../src/server/replication/history/backlog.ts'

const KIB = 1024

test('a backlog holds what a plain string would, and at least its size of it', () => {
  const step = fc.record({ bytes: fc.nat(20 * KIB), needed: fc.nat(60 * KIB) })
  const sizes = fc.integer({ min: 16 * KIB, max: 40 * KIB })
  fc.assert(
    fc.property(sizes, fc.array(step, { maxLength: 30 }), (sizeBytes, steps) => {
      const backlog = new Backlog(1, sizeBytes)
      let all = ''
      for (const [index, { bytes, needed }] of steps.entries()) {
        const text = String.fromCharCode(97 + (index % 26)).repeat(bytes)
        all += text
        backlog.append(text)
        const neededFrom = Math.max(backlog.firstOffset, backlog.nextOffset - needed)
        backlog.trim(neededFrom)
        expect(backlog.nextOffset).toBe(all.length + 1)
        expect(backlog.lengthBytes).toBeGreaterThanOrEqual(Math.min(all.length, sizeBytes))
        expect(backlog.firstOffset).toBeLessThanOrEqual(neededFrom)
        const from = backlog.firstOffset + Math.floor(backlog.lengthBytes / 3)
        expect(backlog.readFrom(from).join('')).toBe(all.slice(from - 1))
      }
    }),
  )
})

test('what nobody needs beyond the size is given up in blocks of 16 KiB', () => {
  const backlog = new Backlog(101, 32 * KIB)
  for (let round = 0; round < 100; round++) {
    backlog.append('x'.repeat(4 * KIB))
    backlog.trim(backlog.nextOffset)
  }
  expect(backlog.lengthBytes).toBeLessThan(48 * KIB)
  expect(backlog.covers(backlog.firstOffset)).toBe(true)
  expect(backlog.covers(backlog.firstOffset - 1)).toBe(false)
})

test('asking for the next byte is asking for nothing, the byte after it does not exist', () => {
  const backlog = new Backlog(11, 16 * KIB)
  backlog.append('abc')
  expect(backlog.readFrom(14)).toEqual([])
  expect([backlog.covers(14), backlog.covers(15), backlog.covers(10)]).toEqual([true, false, false])
})
