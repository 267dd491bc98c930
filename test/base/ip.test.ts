import { expect, test } from 'vitest'
import { canonicalIp, hostAndPort, isIpv4 } from '../../src/base/ip.ts'

const CANONICAL: readonly (readonly [given: string, canonical: string])[] = [
  ['127.0.0.1', '127.0.0.1'],
  ['255.255.255.255', '255.255.255.255'],
  ['0.0.0.0', '0.0.0.0'],
  ['::', '::'],
  ['::1', '::1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['::0001', '::1'],
  ['1::', '1::'],
  ['FE80::ABCD', 'fe80::abcd'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
  ['::FFFF:0a00:0001', '::ffff:10.0.0.1'],
  ['64:ff9b::10.0.0.1', '64:ff9b::a00:1'],
]

for (const [given, canonical] of CANONICAL) {
  test(`${given} is written ${canonical}`, () => expect(canonicalIp(given)).toBe(canonical))
}

const NO_IP = [
  '',
  'localhost',
  '1.2.3',
  '1.2.3.4.5',
  '1.2.3.256',
  '01.2.3.4',
  '1.2.3.4 ',
  '1.2.3.-4',
  '1.2.3.',
  ':',
  ':::',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1::2::3',
  '1:2:3:4::5:6:7:8',
  ':1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:',
  '12345::',
  'g::',
  '::1%eth0',
  '[::1]',
  '::1.2.3',
  '::1.2.3.4:5',
  '1:2:3:4:5:6:7:1.2.3.4',
]

for (const text of NO_IP) {
  test(`"${text}" is no IP literal`, () => expect(canonicalIp(text)).toBeUndefined())
}

test('the canonical form is its own canonical form', () => {
  for (const [, canonical] of CANONICAL) expect(canonicalIp(canonical)).toBe(canonical)
})

test('only four octets are IPv4', () => {
  expect(isIpv4('10.0.0.1')).toBe(true)
  expect(isIpv4('::1')).toBe(false)
})

test('an IPv6 address stands in brackets before a port', () => {
  expect(hostAndPort('10.0.0.1', 6379)).toBe('10.0.0.1:6379')
  expect(hostAndPort('db-1', 6379)).toBe('db-1:6379')
  expect(hostAndPort('::1', 6379)).toBe('[::1]:6379')
})
