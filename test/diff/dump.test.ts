/**
 * DUMP and RESTORE across the two servers: what one dumps, the other restores to the same value, and
 * what is no sound payload of one is refused by both.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { functionPayload } from '../../src/server/commands/scripting/functions.ts'
import { hasRedisServer, type RealNode, startOurs, startRedis } from '../support/real-nodes.ts'

const many = Array.from({ length: 3000 }, (_, index) => `item-${index}`)
const numbers = Array.from({ length: 300 }, (_, index) => String(index * 1_000_003 - 5000))
const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code))

/** What each value is made with; `k` is its key. */
const VALUES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  text: [['SET', 'k', 'text']],
  'an empty string': [['SET', 'k', '']],
  'every byte': [['SET', 'k', everyByte.repeat(20)]],
  'a number': [['SET', 'k', '-1234567']],
  'a number beyond 32 bits': [['SET', 'k', '9007199254740993']],
  'a compressible string': [['SET', 'k', 'compressible '.repeat(20_000)]],
  'a small list': [['RPUSH', 'k', 'a', '1', '-5000', '9223372036854775807']],
  'a large list': [['RPUSH', 'k', ...many, 'x'.repeat(20_000)]],
  'a set of numbers': [['SADD', 'k', '1', '-70000', '9223372036854775807']],
  'a large set of numbers': [['SADD', 'k', ...numbers]],
  'a small set': [['SADD', 'k', 'a', '1']],
  'a large set': [['SADD', 'k', ...many]],
  'a small hash': [['HSET', 'k', 'f', 'v', 'n', '100', '', '']],
  'a large hash': [['HSET', 'k', ...many, ...many]],
  'a small sorted set': [['ZADD', 'k', '1', 'a', '2.5', 'b', '-inf', 'c', '0.1', 'd']],
  'a large sorted set': [['ZADD', 'k', ...many.flatMap((item, at) => [`${at / 7}`, item])]],
  'a HyperLogLog': [
    ['PFADD', 'k', 'a', 'b', 'c'],
    ['PFCOUNT', 'k'],
  ],
  'a dense HyperLogLog': [
    ['PFADD', 'k', ...many],
    ['PFCOUNT', 'k'],
  ],
  'a stream': [
    ['XADD', 'k', '1000-0', 'f', 'v1'],
    ['XADD', 'k', '1005-1', 'x', '1', 'y', '2'],
    ['XADD', 'k', '1006-0', 'f', 'v2'],
    ['XDEL', 'k', '1005-1'],
    ['XGROUP', 'CREATE', 'k', 'g', '0'],
    ['XREADGROUP', 'GROUP', 'g', 'consumer', 'COUNT', '1', 'STREAMS', 'k', '>'],
  ],
  'a long stream': many.map((item, at) => ['XADD', 'k', `${at + 1}-0`, item, 'v']),
  'an empty stream': [['XGROUP', 'CREATE', 'k', 'g', '$', 'MKSTREAM']],
}

describe.skipIf(!hasRedisServer)('what is dumped', () => {
  let ours: RealNode
  let real: RealNode

  beforeAll(async () => {
    ours = await startOurs({ 'enable-debug-command': 'yes' })
    real = await startRedis({ 'enable-debug-command': 'yes' })
  })
  afterAll(async () => {
    await ours.stop()
    await real.stop()
  })

  /** Bytes as latin1 on the way out, buffers on the way back. */
  async function call({ client }: RealNode, argv: readonly (string | Buffer)[]): Promise<unknown> {
    const [name = '', ...rest] = argv.map((word) =>
      typeof word === 'string' ? Buffer.from(word, 'latin1') : word,
    )
    return await client.callBuffer(name.toString(), ...rest)
  }

  async function digestOf(node: RealNode): Promise<string> {
    return String(await node.client.call('DEBUG', 'DIGEST-VALUE', 'k'))
  }

  for (const [from, to] of [
    ['ours', 'real'],
    ['real', 'ours'],
    ['ours', 'ours'],
  ] as const) {
    for (const [title, commands] of Object.entries(VALUES)) {
      test(`${title} goes from ${from} to ${to}`, async () => {
        const source = from === 'ours' ? ours : real
        const target = to === 'ours' ? ours : real
        await source.client.flushall()
        for (const argv of commands) await call(source, argv)
        const before = await digestOf(source)
        const payload = (await call(source, ['DUMP', 'k'])) as Buffer
        await target.client.flushall()
        expect(String(await call(target, ['RESTORE', 'k', '0', payload]))).toBe('OK')
        expect(await digestOf(target)).toBe(before)
      })
    }
  }

  test('with one byte changed is refused by both', async () => {
    await call(real, ['SET', 'k', 'value'])
    const payload = (await call(real, ['DUMP', 'k'])) as Buffer
    for (let at = 0; at < payload.length; at++) {
      const damaged = Buffer.from(payload)
      damaged[at] = (damaged[at] ?? 0) ^ 0x10
      for (const node of [ours, real]) {
        await expect(call(node, ['RESTORE', 'd', '0', damaged])).rejects.toThrow(
          'DUMP payload version or checksum are wrong',
        )
      }
    }
  })

  test('as libraries of functions is restored, or refused, in the same words', async () => {
    const library = (name: string, ...functions: string[]) =>
      `#!lua name=${name}\n${functions.map((each) => `redis.register_function('${each}', function() return 1 end)`).join('\n')}`
    const [one, two] = [library('one', 'f'), library('two', 'g')]
    const payloads = [
      [one],
      [one, one],
      [two, library('three', 'G')],
      [two, 'x'],
      [library('two')],
      [two],
    ]
    for (const sources of payloads) {
      const payload = Buffer.from(functionPayload(sources), 'latin1')
      for (const policy of [[], ['REPLACE'], ['FLUSH']]) {
        const [own, other] = await Promise.all(
          [ours, real].map(async (node) => {
            await node.client.call('FUNCTION', 'FLUSH')
            await node.client.call('FUNCTION', 'LOAD', library('one', 'f', 'g'))
            const answer = await call(node, ['FUNCTION', 'RESTORE', payload, ...policy]).catch(
              String,
            )
            return [String(answer), await node.client.call('FUNCTION', 'STATS')]
          }),
        )
        expect([sources, policy, own]).toEqual([sources, policy, other])
      }
    }
  })
})
