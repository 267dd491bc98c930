import { expect, test } from 'vitest'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'
import { eventsMeant, filterOf } from '../../src/hooks/webhook-config.ts'

function parse(webhook: string) {
  const text = `groups: {g: {master: 10.0.0.1:6379, quorum: 2}}\nwebhooks:\n  - {${webhook}}\n`
  const parsed = parseSentinelYml(text, 'sentinel.yml')
  if (parsed.ok) return parsed.value.webhooks
  return parsed.problems.map(({ line, path, message, hint }) => ({ line, path, message, hint }))
}

test('a webhook needs only its URL: it gets every warning, as JSON, unsigned', () => {
  expect(parse('url: "https://example.com/x"')).toEqual([
    {
      ...{ name: '1', url: 'https://example.com/x', events: ['warning'], groups: [], headers: [] },
      ...{ secret: { kind: 'none' }, template: { kind: 'json' }, caFile: '' },
      ...{ timeoutMs: 5_000, queue: 1_000, giveUpAfterMs: 600_000 },
    },
  ])
})

test('everything else can be said', () => {
  const said =
    'name: ops, url: "http://x/y", events: [post-failover, "-failover-*"], groups: "cache-*", secret-env: S, ' +
    'template: slack, text: "{event}", headers: {Authorization: "Bearer x"}, timeout: 1s, queue: 5, give-up-after: 1m'
  expect(parse(said)).toMatchObject([
    {
      ...{ name: 'ops', groups: ['cache-*'], secret: { kind: 'env', value: 'S' }, queue: 5 },
      template: { kind: 'slack', message: { parts: [{ field: 'event' }] } },
      ...{ headers: [['Authorization', 'Bearer x']], timeoutMs: 1_000, giveUpAfterMs: 60_000 },
    },
  ])
})

test.each([
  ['name: x', 'webhooks.0.url', 'is required', ''],
  [
    'url: "ftp://x"',
    'webhooks.0.url',
    'must be an http or https URL',
    'https://hooks.example.com/vedette',
  ],
  [
    'url: "http://x", events: [+swich-master]',
    'webhooks.0.events',
    '"+swich-master" is no event',
    'did you mean +switch-master?',
  ],
  [
    'url: "http://x", tmplate: json',
    'webhooks.0.tmplate',
    'unknown option',
    'did you mean template?',
  ],
  ['url: "http://x", text: "{grup}"', 'webhooks.0.text', '{grup} is no placeholder', undefined],
  [
    'url: "http://x", secret: a, secret-file: b',
    'webhooks.0',
    'has more than one of secret, secret-file and secret-env',
    'keep one of them',
  ],
  [
    'url: "http://x", headers: {"a b": c}',
    'webhooks.0.headers',
    'must be a map of header names and texts',
    undefined,
  ],
])('%s is refused, with line, path and a way out', (webhook, path, message, hint) => {
  const [problem] = parse(webhook)
  expect(problem).toMatchObject({ line: 3, path, message })
  if (hint !== undefined) expect(problem).toMatchObject({ hint })
})

test('a pattern means every event it matches, a word the events of its name', () => {
  expect(eventsMeant('*-master').length).toBeGreaterThan(2)
  expect(eventsMeant('post-failover')).toEqual(['+failover-end', '+failover-end-for-timeout'])
  expect(eventsMeant('constructor')).toEqual([])
})

test('with groups, events of other groups and of no group are left out', () => {
  const [config] = parse('url: "http://x", events: all, groups: ["cache-*"]')
  const wants = filterOf(config as Parameters<typeof filterOf>[0])
  expect(wants('+sdown', 'cache-1')).toBe(true)
  expect(wants('+sdown', 'sessions')).toBe(false)
  expect(wants('+tilt', undefined)).toBe(false)
})
