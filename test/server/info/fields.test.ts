/** INFO: the names of the fields, as monitoring looks for them. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

/** Of a redis-server 7.0.15 that has just started: headings, and fields without their values. */
const REDIS = readFileSync(new URL('testdata/fields-7.0.15.txt', import.meta.url), 'utf8').trim()

/** A field of ours, and one that counts this very command. */
const OURS = ['server_name', 'cmdstat_info']

test('INFO everything has every field of Redis 7.0.15, in its order', () => {
  const [, ...lines] = new NodeHarness().client().send('INFO', 'everything').split('\r\n')
  const names = lines.filter((line) => line !== '').map((line) => line.replace(/:.*/, ''))
  expect(names.filter((name) => !OURS.includes(name))).toEqual(REDIS.split('\n'))
})
