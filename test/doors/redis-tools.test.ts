/** What operators run beside a server: every mode of redis-cli, and redis-benchmark, on a node of ours and on redis-server. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HAS_REDIS_CLI, run } from '../support/processes.ts'
import { hasRedisServer, type RealNode, startOurs, startRedis } from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'

const LIBRARY = "#!lua name=lib\nredis.register_function('f', function() return 1 end)"
const BOUND_MS = 30_000

describe.skipIf(!HAS_REDIS_CLI || !hasRedisServer)('redis-cli and redis-benchmark', () => {
  const folder = scratchFolder('redis-tools')
  let nodes: readonly RealNode[] = []

  beforeAll(async () => {
    const directives = { 'enable-debug-command': 'yes', 'maxmemory-policy': 'allkeys-lfu' }
    nodes = await Promise.all([startOurs(directives), startRedis(directives)])
    for (const { client } of nodes) {
      await client.call('DEBUG', 'POPULATE', '500', 'key', '12')
      await client.rpush('list', 'a', 'b', 'c')
      await client.hset('hash', 'field', 'value')
      await client.sadd('set', 'a', 'b')
      await client.zadd('zset', 1, 'a', 2, 'b')
      await client.xadd('stream', '1-1', 'f', 'v')
      await client.call('FUNCTION', 'LOAD', LIBRARY)
    }
  })

  afterAll(async () => {
    for (const node of nodes) await node.stop()
  })

  async function cli({ port }: RealNode, ...words: readonly string[]): Promise<string> {
    const { stdout, stderr } = await run('redis-cli', ['-p', `${port}`, ...words], BOUND_MS)
    return stdout + stderr
  }

  /** The same question to both, ours first. */
  const both = (...words: readonly string[]) =>
    Promise.all(nodes.map((node) => cli(node, ...words)))

  const sorted = (text: string | undefined) => text?.split('\n').sort()

  test('--bigkeys comes to the same summary', async () => {
    const [ours, theirs] = await both('--bigkeys')
    // Which of many equal strings is found first depends on the order of the keys.
    const summary = (text = '') =>
      sorted(text.slice(text.indexOf('summary')))?.filter((line) => !line.includes('string found'))
    expect(summary(ours)).toEqual(summary(theirs))
    expect(ours).toContain('Sampled 505 keys')
  })

  test('--memkeys and --hotkeys look at every key', async () => {
    const [memory] = await both('--memkeys')
    for (const type of ['list', 'hash', 'set', 'zset', 'stream']) {
      expect(memory).toMatch(new RegExp(`1 ${type}s with [1-9]\\d* bytes`))
    }
    for (const text of await both('--hotkeys')) {
      expect(text).toContain('Sampled 505 keys')
      expect(text).toContain('hot key found with counter')
    }
  })

  test('--scan finds the same keys, with and without a pattern', async () => {
    for (const pattern of ['*', 'key:1*', 'nosuch*']) {
      const [ours, theirs] = await both('--scan', '--pattern', pattern)
      expect(sorted(ours)).toEqual(sorted(theirs))
    }
  })

  test('--rdb and --functions-rdb leave files that redis-check-rdb accepts', async () => {
    for (const [option, keys] of [
      ['--rdb', 505],
      ['--functions-rdb', 0],
    ] as const) {
      const file = join(folder, `dump${option}.rdb`)
      expect(await cli(nodes[0] as RealNode, option, file)).toContain('finished with success')
      const { stdout, status } = await run('redis-check-rdb', [file])
      expect(stdout).toContain(`${keys} keys read`)
      expect(status).toBe(0)
      expect(existsSync(file)).toBe(true)
    }
  })

  test('--pipe counts replies and errors', async () => {
    for (const { port } of nodes) {
      const child = spawn('redis-cli', ['-p', `${port}`, '--pipe'])
      let text = ''
      child.stdout.on('data', (bytes) => {
        text += bytes
      })
      child.stdin.end('SET piped v\r\nINCR piped\r\nGET piped\r\nDEL piped\r\n')
      await new Promise((resolve) => child.once('close', resolve))
      expect(text).toContain('errors: 1, replies: 4')
    }
  })

  test('--latency, --latency-history and --stat print numbers', async () => {
    const node = nodes[0] as RealNode
    expect(await cli(node, '--latency', '-i', '0.2')).toMatch(/^\d+ \d+ \d+\.\d+ \d+\n$/)
    const endless = ['stdbuf', '-oL', 'redis-cli', '-p', `${node.port}`]
    const { stdout } = await run('timeout', ['1', ...endless, '--stat', '-i', '0.1'])
    expect(stdout).toMatch(/^keys +mem +clients/m)
    expect(stdout.match(/^505 +\d+\.\d+[MK]/gm)?.length).toBeGreaterThan(1)
    const history = await run('timeout', ['1', ...endless, '--latency-history', '-i', '0.2'])
    expect(history.stdout).toMatch(/^\d+ \d+ \d+\.\d+ \d+/m)
  })

  test('--replica shows the stream', async () => {
    const node = nodes[0] as RealNode
    const child = spawn('stdbuf', ['-oL', 'redis-cli', '-p', `${node.port}`, '--replica'])
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes) => {
        text += bytes
      })
    }
    const seen = async (word: string) => {
      for (let round = 0; round < 500 && !text.includes(word); round++) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      expect(text).toContain(word)
    }
    await seen('SYNC done')
    await node.client.set('told', 'to-replicas')
    await seen('to-replicas')
    child.kill()
  })

  test(
    'redis-benchmark runs every test it has, without an error',
    async () => {
      const names = await Promise.all(
        nodes.map(async ({ port }) => {
          const argv = ['-p', `${port}`, '-n', '200', '-c', '10', '-q', '--csv']
          const { stdout, stderr, status } = await run('redis-benchmark', argv, BOUND_MS)
          expect([status, stderr]).toEqual([0, ''])
          return stdout.split('\n').map((line) => line.split(',')[0])
        }),
      )
      expect(names[0]).toEqual(names[1])
      expect(names[0]?.length).toBeGreaterThan(20)
    },
    2 * BOUND_MS,
  )
})
