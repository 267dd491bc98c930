import { expect, test } from 'vitest'
import { Reachability } from '../../src/history/reachability.ts'

test('hosts of different groups hear nothing of each other', () => {
  const reachability = new Reachability()
  reachability.partition([['a'], ['b', 'c']])
  expect(reachability.passes('a', 'b')).toBe(false)
  expect(reachability.passes('b', 'a')).toBe(false)
  expect(reachability.passes('b', 'c')).toBe(true)
})

test('hosts no group names stay together', () => {
  const reachability = new Reachability()
  reachability.partition([['a']])
  expect(reachability.converses('b', 'c')).toBe(true)
  expect(reachability.converses('a', 'b')).toBe(false)
})

test('traffic inside one host survives every partition', () => {
  const reachability = new Reachability()
  reachability.partition([['a'], ['b']])
  reachability.cut('a', 'a')
  expect(reachability.converses('a', 'a')).toBe(true)
})

test('a cut silences one direction only', () => {
  const reachability = new Reachability()
  reachability.cut('a', 'b')
  expect(reachability.passes('a', 'b')).toBe(false)
  expect(reachability.passes('b', 'a')).toBe(true)
  expect(reachability.converses('a', 'b')).toBe(false)
})

test('healing takes back the partition and every cut', () => {
  const reachability = new Reachability()
  reachability.partition([['a'], ['b']])
  reachability.cut('b', 'c')
  reachability.heal()
  expect(reachability.converses('a', 'b')).toBe(true)
  expect(reachability.passes('b', 'c')).toBe(true)
})

test('no partition stands in the way of who looks on from outside', () => {
  const reachability = new Reachability(['observer'])
  reachability.partition([['a'], ['b']])
  expect(reachability.converses('observer', 'a')).toBe(true)
})

test('a hold keeps one direction, and nobody converses over it', () => {
  const reachability = new Reachability()
  reachability.hold('a', 'b')
  expect([reachability.holds('a', 'b'), reachability.holds('b', 'a')]).toEqual([true, false])
  expect(reachability.passes('a', 'b')).toBe(true)
  expect(reachability.converses('a', 'b')).toBe(false)
  expect(reachability.isWhole).toBe(false)
})

test('a release takes back the holds and leaves the cuts', () => {
  const reachability = new Reachability()
  reachability.hold('a', 'b')
  reachability.cut('b', 'a')
  reachability.release()
  expect(reachability.holds('a', 'b')).toBe(false)
  expect(reachability.passes('b', 'a')).toBe(false)
})

test('healing takes back the holds too', () => {
  const reachability = new Reachability()
  reachability.hold('a', 'b')
  reachability.heal()
  expect(reachability.isWhole).toBe(true)
})
