import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PROXY_GROUP_OPTIONS, PROXY_OPTIONS, proxyConfig } from '../../src/config/proxy-file.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'

function parse(section: string) {
  return parseSentinelYml(`proxy: ${section}`, 'proxy.yml')
}

function problemsOf(section: string): readonly string[] {
  const parsed = parse(section)
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`)
}

test('docs/options.md says what every option of the proxy means', () => {
  const page = readFileSync(new URL('../../docs/options.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('## The proxy')
  for (const option of PROXY_OPTIONS) expect(section).toContain(`\n| \`${option}\` |`)
  for (const option of PROXY_GROUP_OPTIONS) expect(section).toContain(option)
})

test('a section becomes what its machine is told', () => {
  const parsed = parse(
    '{sentinels: [10.0.0.1, 10.0.0.2:5], groups: {a: {port: 1, read-port: 2}}, hold: 3s}',
  )
  const proxy = parsed.ok ? parsed.value.proxy : undefined
  expect(proxy === undefined ? parsed : proxyConfig(proxy, false)).toMatchObject({
    sentinels: [
      { host: '10.0.0.1', port: 26_379 },
      { host: '10.0.0.2', port: 5 },
    ],
    groups: [{ name: 'a', hasReadPort: true }],
    ...{ holdMs: 3_000, leaseMs: 1_000, sendProxy: 0, maxClients: 10_000 },
  })
})

test.each([
  ['{groups: {}}', 'proxy.groups: names no group'],
  ['{groups: {a: {}}}', 'proxy.groups.a: has no entrance'],
  ['{groups: {a: {port: 7}, b: {port: 7}}}', 'proxy.groups.a: port 7 is given twice'],
  ['{groups: {a: {prot: 7}}}', 'proxy.groups.a.prot: unknown option'],
  ['{groups: {a: {port: 99999}}}', 'proxy.groups.a.port: must be between 0 and 65535'],
  ['{groups: {a: {port: 7}}, hold: 5}', undefined],
  ['{groups: {a: {port: 7}}, hold: soon}', 'proxy.hold: must be a duration'],
  ['{groups: {a: {port: 7}}, leese: 5s}', 'proxy.leese: unknown option'],
])('of %s it says %s', (section, words) => {
  if (words === undefined) expect(problemsOf(section)).toEqual([])
  else expect(problemsOf(section)).toContain(words)
})
