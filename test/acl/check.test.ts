import { describe, expect, test } from 'vitest'
import { type AclRequest, denial, mayListen } from '../../src/acl/check.ts'
import { userOf } from './support.ts'

/** Keys are the words marked r: or w: or rw: or ?:, channels those marked c: or p:. */
function request(text: string): AclRequest {
  const marked = text.split(' ').map((word) => /^(?:(rw|r|w|\?|c|p):)?(.*)$/.exec(word) ?? [])
  const argv = marked.map((match) => match[2] ?? '')
  const places = marked.map((match, at) => ({ mark: match[1] ?? '', at }))
  return {
    name: argv[0] ?? '',
    isForEverybody: argv[0] === 'auth',
    argv,
    keys: () =>
      places
        .filter(({ mark }) => ['r', 'w', 'rw', '?'].includes(mark))
        .map(({ mark, at }) => ({ at, reads: mark.includes('r'), writes: mark.includes('w') })),
    channels: () =>
      places
        .filter(({ mark }) => ['c', 'p'].includes(mark))
        .map(({ mark, at }) => ({ at, isPattern: mark === 'p' })),
  }
}

const VERDICTS: readonly (readonly [rules: string, sent: string, verdict: string])[] = [
  ['+get ~a*', 'get r:abc', 'allowed'],
  ['+get ~a*', 'get r:b', 'key b'],
  ['+get ~a*', 'set w:a', 'command'],
  ['-@all', 'auth x', 'allowed'],
  ['+@all ~a', 'get r:a r:b', 'key b'],
  ['+@all %R~a %W~b', 'set w:a', 'key a'],
  ['+@all %R~a %W~b', 'set w:b', 'allowed'],
  ['+@all %R~a %W~a', 'set rw:a', 'allowed'],
  // One pattern must allow all that is done with a key.
  ['+@all %R~a* %W~*a', 'set rw:a', 'key a'],
  // Who only looks whether a key is there needs no more than to know of it.
  ['+@all %W~a', 'get ?:a', 'allowed'],
  ['+@all %W~a', 'get ?:b', 'key b'],
  ['+publish &news*', 'publish c:news1 text', 'allowed'],
  ['+publish &news*', 'publish c:other text', 'channel other'],
  ['+subscribe &a*', 'subscribe p:ab', 'channel ab'],
  ['+subscribe &a*', 'subscribe p:a*', 'allowed'],
  ['+select|0', 'select 0', 'allowed'],
  ['+select|zero', 'select ZERO', 'allowed'],
  ['+select|0', 'select 1', 'command'],
  ['+select|0', 'select', 'command'],
  ['+get ~a (+set ~b)', 'set w:b', 'allowed'],
  ['+get ~a (+set ~b)', 'get r:b', 'key b'],
  // No selector allows the whole, so it does not help that each allows a part.
  ['+get ~a (+set ~b)', 'set w:a', 'key a'],
  // The refusal that came furthest is the one that is told.
  ['+get (+get ~a &x)', 'get r:a c:y', 'channel y'],
  ['(+get ~a) (+get ~b)', 'get r:a r:b', 'key b'],
]

describe('what a user may do', () => {
  test.each(VERDICTS)('with %s, %s is %s', (rules, sent, verdict) => {
    const asked = request(sent)
    const denied = denial(userOf(rules), asked)
    const told =
      denied === undefined
        ? 'allowed'
        : denied.reason === 'command'
          ? 'command'
          : `${denied.reason} ${asked.argv[denied.at]}`
    expect(told).toBe(verdict)
  })
})

test('a channel listened to is allowed by any selector, a pattern only word for word', () => {
  const user = userOf('&a* (&b)')
  expect(['ab', 'b', 'c'].map((name) => mayListen(user, name, false))).toEqual([true, true, false])
  expect(['a*', 'ab'].map((name) => mayListen(user, name, true))).toEqual([true, false])
  expect(mayListen(userOf('allchannels'), '*', true)).toBe(true)
})
