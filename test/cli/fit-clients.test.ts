import { expect, test } from 'vitest'
import { fitProxy, fitSentinel } from '../../src/cli/daemon/fit-clients.ts'
import type { ProxyFile } from '../../src/config/proxy-file.ts'
import { parseSentinelYml } from '../../src/config/sentinel-yml.ts'

function fileOf(text: string) {
  const parsed = parseSentinelYml(text, 'sentinel.yml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.value
}

const GROUP = 'groups: {mymaster: {master: "10.0.0.1:6379", quorum: 2}}\n'
const PROXY = 'proxy: {groups: {mymaster: {port: 6400}}}\n'

test('a Sentinel keeps files for its links, and the log says what to raise', () => {
  const { fitted, lowered } = fitSentinel(fileOf(GROUP), 960)
  expect(fitted.core.maxClients).toBe(950)
  expect(lowered).toEqual([
    'maxclients is 950 instead of 10000: this process may open no more files. ' +
      'Raise the limit (ulimit -n, LimitNOFILE of the unit)',
  ])
})

test('where there is room, or the system does not say, nothing is lowered', () => {
  const file = fileOf(GROUP)
  for (const room of [undefined, 10_010]) expect(fitSentinel(file, room).fitted).toBe(file)
})

test('many groups leave half of the files to clients', () => {
  const groups = Array.from({ length: 200 }, (_, at) => {
    return `  g${at}: {master: "10.0.0.1:${7_000 + at}", quorum: 2}\n`
  })
  expect(fitSentinel(fileOf(`groups:\n${groups.join('')}`), 960).fitted.core.maxClients).toBe(480)
})

test('each client of a proxy takes two files', () => {
  const proxy = fileOf(`${GROUP}${PROXY}`).proxy as ProxyFile
  const { fitted, lowered } = fitProxy(proxy, 960)
  expect(fitted.maxClients).toBe(480)
  expect(lowered).toEqual([
    expect.stringMatching(/^max-clients of the proxy is 480 instead of 10000: .*takes two$/),
  ])
})

test('a Sentinel and the proxy in its process are lowered by the same factor', () => {
  const { fitted, lowered } = fitSentinel(fileOf(`${GROUP}${PROXY}`), 3_010)
  expect([fitted.core.maxClients, fitted.proxy?.maxClients]).toEqual([1_000, 1_000])
  expect(lowered).toHaveLength(2)
})
