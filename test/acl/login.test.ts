import { expect, test } from 'vitest'
import { login } from '../../src/acl/login.ts'
import { PasswordSource } from '../../src/acl/passwords.ts'
import { passwordLength } from '../../src/session/acl.ts'
import { usersWith } from './support.ts'

test.each([
  ['on >one >two', 'one', true],
  ['on >one >two', 'two', true],
  ['on >one', 'onee', false],
  ['on >one', '', false],
  ['on >', '', true],
  ['off >one', 'one', false],
  ['off nopass', 'one', false],
  ['on nopass', 'anything', true],
  ['on', '', false],
])('a user of %s comes in with %j: %s', (rules, password, isRight) => {
  expect(login(usersWith(rules), 'u', password) !== undefined).toBe(isRight)
})

test('a password of megabytes is not even looked at', () => {
  expect(login(usersWith('on nopass'), 'u', 'x'.repeat(64 * 1024))).toBeDefined()
  expect(login(usersWith('on nopass'), 'u', 'x'.repeat(64 * 1024 + 1))).toBeUndefined()
})

test('nobody comes in as a user who is not there', () => {
  expect(login(usersWith('on nopass'), 'nobody', 'x')).toBeUndefined()
})

test('generated passwords are long enough, all different, and tell nothing of the secret', () => {
  const source = new PasswordSource('secret')
  const drawn = [1, 5, 64, 64, 100, 1024].map((length) => source.draw(length))
  expect(drawn.map((text) => text.length)).toEqual([1, 5, 64, 64, 100, 1024])
  expect(drawn[2]).not.toBe(drawn[3])
  expect(drawn.every((text) => /^[0-9a-f]+$/.test(text))).toBe(true)
  expect(new PasswordSource('other').draw(64)).not.toBe(new PasswordSource('secret').draw(64))
})

test('bits are rounded up to whole hex characters', () => {
  expect(['1', '4', '5', '256', '4096'].map(passwordLength)).toEqual([1, 1, 2, 64, 1024])
  expect(passwordLength(undefined)).toBe(64)
})
