import { expect, test } from 'vitest'
import { TestSentinel } from '../../support/sentinel-builder.ts'

/** One conversation; each answer stands behind its command. */
const TALKS: Readonly<Record<string, readonly (readonly [line: string, answer: string])[]>> = {
  'nothing is tracked at first': [
    ['GETREDIR', ':-1'],
    ['TRACKINGINFO', 'flags off redirect :-1 prefixes'],
    [
      'CACHING YES',
      '-ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled',
    ],
  ],
  'tracking is switched on and off': [
    ['TRACKING ON NOLOOP', '+OK'],
    ['TRACKINGINFO', 'flags on noloop redirect :0 prefixes'],
    ['GETREDIR', ':0'],
    ['TRACKING OFF', '+OK'],
    ['GETREDIR', ':-1'],
  ],
  'caching is said in the mode it belongs to': [
    ['TRACKING ON OPTIN', '+OK'],
    ['CACHING NO', '-ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.'],
    ['CACHING MAYBE', '-ERR syntax error'],
    ['CACHING YES', '+OK'],
    ['TRACKINGINFO', 'flags on optin caching-yes redirect :0 prefixes'],
    ['TRACKINGINFO', 'flags on optin caching-yes redirect :0 prefixes'],
    [
      'TRACKING ON OPTOUT',
      "-ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.",
    ],
  ],
  'prefixes add up, in order, and may not overlap': [
    ['TRACKING ON BCAST PREFIX foo PREFIX bar', '+OK'],
    ['TRACKING ON BCAST PREFIX a', '+OK'],
    ['TRACKINGINFO', 'flags on bcast redirect :0 prefixes a bar foo'],
    [
      'TRACKING ON BCAST PREFIX foobar',
      "-ERR Prefix 'foobar' overlaps with an existing prefix 'foo'. Prefixes for a single client must not overlap.",
    ],
    [
      'TRACKING ON BCAST PREFIX x PREFIX xy',
      "-ERR Prefix 'x' overlaps with another provided prefix 'xy'. Prefixes for a single client must not overlap.",
    ],
    [
      'TRACKING ON',
      "-ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.",
    ],
  ],
  'options that contradict each other change nothing': [
    ['TRACKING ON PREFIX a', '-ERR PREFIX option requires BCAST mode to be enabled'],
    ['TRACKING ON BCAST OPTIN', '-ERR OPTIN and OPTOUT are not compatible with BCAST'],
    ['TRACKING ON OPTIN OPTOUT', "-ERR You can't specify both OPTIN mode and OPTOUT mode"],
    ['TRACKING ON REDIRECT x', '-ERR value is not an integer or out of range'],
    ['TRACKING ON REDIRECT 99', '-ERR The client ID you want redirect to does not exist'],
    ['TRACKING ON PREFIX', '-ERR syntax error'],
    ['TRACKING MAYBE', '-ERR syntax error'],
    ['GETREDIR', ':-1'],
  ],
}

for (const [claim, talk] of Object.entries(TALKS)) {
  test(claim, () => {
    const client = new TestSentinel().connect()
    for (const [line, answer] of talk) {
      expect(words(client.ask(`CLIENT ${line}`))).toBe(answer)
    }
  })
}

test('what CLIENT CACHING said is forgotten with the next other command', () => {
  const client = new TestSentinel().connect()
  client.ask('CLIENT TRACKING ON OPTIN')
  client.ask('CLIENT CACHING YES')
  client.ask('PING')
  expect(client.ask('CLIENT TRACKINGINFO')).not.toContain('caching-yes')
})

test('more prefixes than anybody needs are refused', () => {
  const client = new TestSentinel().connect()
  const prefixes = Array.from({ length: 1001 }, (_, index) => `PREFIX ${1000 + index}`).join(' ')
  expect(client.ask(`CLIENT TRACKING ON BCAST ${prefixes}`)).toBe('-ERR too many prefixes\r\n')
})

test('what was asked for shows in CLIENT INFO and INFO, and a lost redirection with it', () => {
  const sentinel = new TestSentinel()
  const [client, other] = [sentinel.connect(), sentinel.connect()]
  expect(client.ask('CLIENT INFO')).toContain(' flags=N ')
  client.ask('CLIENT NO-EVICT ON')
  client.ask(`CLIENT TRACKING ON BCAST REDIRECT ${other.id}`)
  expect(client.ask('CLIENT INFO')).toMatch(/ flags=tBe .* redir=2 /)
  other.leave()
  expect(client.ask('CLIENT INFO')).toContain(' flags=tRBe ')
  expect(client.ask('CLIENT TRACKINGINFO')).toContain('broken_redirect')
  expect(client.ask('INFO clients')).toContain('\r\ntracking_clients:1\r\n')
})

/** Strings without their lengths, in one line. */
function words(reply: string): string {
  if (!reply.startsWith('*')) return reply.trimEnd()
  return reply
    .split('\r\n')
    .filter((line) => line !== '' && !/^[*$]/.test(line))
    .join(' ')
}
