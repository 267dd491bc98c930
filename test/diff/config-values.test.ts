/**
 * CONFIG SET of every directive redis-server has, with values that are good for one directive and bad for
 * another: what is accepted there is accepted here and shown the same, and what is refused is refused in
 * the same words.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { replySlices } from '../../src/fuzz/transcripts/reply-slices.ts'
import { hasRedisServer, type RealNode } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'
import { transcript } from '../support/transcript.ts'

const NUMBERS = ['0', '1', '-1', '2', '15', '100', '101', '1000', '65535', '65536', '2147483647']
const LARGE = ['2147483648', '-2147483648', '9223372036854775807', '9223372036854775808']
const NO_NUMBERS = ['', ' 1', '1 ', '01', '+1', '1.5', '0x10', '-0', '1e3', 'abc']
const SIZES = [
  '1b',
  '1k',
  '1KB',
  '2mb',
  '1Gb',
  '1tb',
  '-1mb',
  '1.5mb',
  '1 mb',
  '8192pb',
  '50%',
  '101%',
]
const WORDS = ['yes', 'no', 'YES', 'No', 'on', 'true', 'a b', '"a b"', 'a/b', "'", 'x\0y']
const CHOICES = [
  'everysec',
  'ALWAYS',
  'disabled',
  'swapdb',
  'allkeys-lru',
  'debug',
  'Verbose',
  'nothing',
]
const CHOICES_TOO = [
  'allchannels',
  'resetchannels',
  'ignore',
  'panic',
  'clients',
  'relative',
  'default',
]
const LISTS = [
  '60 1',
  '60 1 300',
  '60 -1',
  '-60 1',
  '60 a',
  '0 0',
  '50 99.9',
  '101',
  '50 a',
  'KEA',
  'KEAx',
  'gK$',
]
const LIMITS = [
  'normal 0 0 0',
  'replica 1mb 512kb 60 pubsub 1 1 1',
  'slave 1 2',
  'master 1 1 1',
  'nosuch 0 0 0',
  'normal a 0 0',
  'normal 0 0 -1',
  'NORMAL 1k 1 1',
  'normal 1 1 1 normal 2 2 2',
]
const VALUES = [
  ...NUMBERS,
  ...LARGE,
  ...NO_NUMBERS,
  ...SIZES,
  ...WORDS,
  ...CHOICES,
  ...CHOICES_TOO,
  ...LISTS,
  ...LIMITS,
]

/**
 * Not compared: what reaches out of the process, ends connections or has other rules here (see
 * docs/compatibility-server.md). Whether `activedefrag` can be had depends on how redis-server was built.
 */
const LEFT_OUT =
  /^(port|bind|bind-source-addr|dir|tls-.*|appendonly|oom-score-adj.*|maxclients|maxmemory-clients|requirepass|activedefrag)$/

/** Two values of these are beyond signed integers of 64 bits. */
function isCompared(name: string, value: string): boolean {
  return (
    !/^(maxmemory|cluster-link-sendbuf-limit)$/.test(name) ||
    !/^9223372036854775808$|pb$/.test(value)
  )
}

describe.skipIf(!hasRedisServer)('values of directives (need redis-server)', () => {
  const servers = bothServers()
  let names: string[] = []

  beforeAll(async () => {
    names = await namesAt(servers[1] as RealNode)
  })

  async function namesAt({ client }: RealNode): Promise<string[]> {
    const pairs = (await client.call('CONFIG', 'GET', '*')) as string[]
    return pairs.filter((_, at) => at % 2 === 0)
  }

  test('every directive is known, under either name', async () => {
    const ours = new Set(await namesAt(servers[0] as RealNode))
    expect(names.filter((name) => !ours.has(name))).toEqual([])
  })

  test('each takes and refuses what it does there', async () => {
    const found: unknown[] = []
    for (const name of names.filter((each) => !LEFT_OUT.test(each))) {
      const values = VALUES.filter((value) => isCompared(name, value))
      const commands = values.flatMap((value) => [
        ['CONFIG', 'SET', name, value],
        ['CONFIG', 'GET', name],
      ])
      const [ours, theirs] = await Promise.all(
        servers.map(async ({ client, port }) => {
          const before = (await client.call('CONFIG', 'GET', name)) as string[]
          const lines = await transcript(port, commands)
          await client.call('CONFIG', 'SET', name, before[1] ?? '').catch(() => undefined)
          return replySlices(lines.join('\r\n'))
        }),
      )
      commands.forEach((command, at) => {
        // If the value was refused, there is nothing new to be shown.
        const isRefused = command[1] === 'GET' && theirs?.[at - 1]?.startsWith('-') === true
        if (!isRefused && ours?.[at] !== theirs?.[at]) {
          found.push([...command.slice(2), commands[at - 1]?.[3], ours?.[at], theirs?.[at]])
        }
      })
    }
    expect(found).toEqual([])
  })
})
