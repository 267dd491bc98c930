import { expect, test } from 'vitest'
import { Crc64, crc64 } from '../../../src/server/rdb/crc64.ts'

function hex(bytes: string): string {
  return [...bytes].map((c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}

test('the check value of CRC-64/Jones comes out, least significant byte first', () => {
  expect(hex(crc64('123456789'))).toBe('cad9b8c414d9c6e9')
})

test('a checksum does not depend on how the bytes were cut', () => {
  const crc = new Crc64()
  for (const part of ['12', '', '3456', '789']) crc.update(part)
  expect(crc.digest()).toBe(crc64('123456789'))
})

test('a DUMP payload of a real server carries this checksum', () => {
  const dump = Buffer.from('0001760a009108ceb219388ace', 'hex').toString('latin1')
  expect(hex(crc64(dump.slice(0, -8)))).toBe('9108ceb219388ace')
})
