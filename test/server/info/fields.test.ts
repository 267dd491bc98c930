/** INFO: the names of the fields, as monitoring looks for them. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

/** Of a redis-server 7.0.15 that has just started: headings, and fields without their values. */
const REDIS = readFileSync(new URL('testdata/fields-7.0.15.txt', import.meta.url), 'utf8').trim()

/** A field of ours, one that counts this very command, and fields of newer servers. */
const OURS = ['server_name', 'cmdstat_info']
const NEWER =
  /^(expired_subkeys|availability_zone|listener\d|(pubsub|watching)_clients|total_(watched|blocking)_keys)$/

test('INFO everything has every field of Redis 7.0.15, in its order', () => {
  const [, ...lines] = new NodeHarness().client().send('INFO', 'everything').split('\r\n')
  const names = lines.filter((line) => line !== '').map((line) => line.replace(/:.*/, ''))
  const known = names.filter((name) => !OURS.includes(name) && !NEWER.test(name))
  expect(known).toEqual(REDIS.split('\n'))
})

test('INFO has fields of newer servers, where they have a meaning here', () => {
  const harness = new NodeHarness()
  const client = harness.client()
  client.send('CONFIG', 'SET', 'availability-zone', 'here-1a')
  client.send('WATCH', 'a', 'b')
  harness.client().send('BLPOP', 'l', 'm', '0')
  harness.client().send('SUBSCRIBE', 'channel')
  const info = client.send('INFO')
  for (const field of [
    'availability_zone:here-1a',
    'listener0:name=tcp,bind=*,bind=-::*,port=6379',
    'pubsub_clients:1',
    'watching_clients:1',
    'total_watched_keys:2',
    'total_blocking_keys:2',
  ]) {
    expect(info).toContain(`${field}\r\n`)
  }
  expect(client.send('HELLO', '3')).toContain('availability_zone\r\n$7\r\nhere-1a')
})
