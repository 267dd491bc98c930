import { expect, test } from 'vitest'
import { renderFirewall } from '../../../src/engine/process/firewall.ts'

const AB = { fromIp: '10.208.0.1', toIp: '10.208.0.2' }

test('a cut is a pair of addresses, one direction only', () => {
  const rules = renderFirewall([{ ...AB, share: 1 }])
  expect(rules).toContain('elements = { 10.208.0.1 . 10.208.0.2 }')
  expect(rules).not.toContain('10.208.0.2 . 10.208.0.1')
})

test('loss is a drawn share, and no cut', () => {
  const rules = renderFirewall([{ ...AB, share: 0.1 }])
  expect(rules).toContain(
    'ip saddr 10.208.0.1 ip daddr 10.208.0.2 numgen random mod 100000 < 10000 drop',
  )
  expect(rules).not.toContain('elements')
})

test('the rules before are gone in the same transaction', () => {
  expect(renderFirewall([])).toMatch(/^table bridge vedette \{\n\}\ndelete table bridge vedette\n/)
})
