/**
 * The same commands to our Sentinel and to a real redis-sentinel, in the same situation. The replies must
 * be the same, but for what changes by itself (ages, ports, ids) and for what is listed in
 * `sentinel/differences.ts`, where each difference has its reason and must really be there.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { splitArgs } from '../../src/base/split-args.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import type { Reply } from '../../src/resp/reply.ts'
import {
  COMMANDS_DESCRIBED_OTHERWISE,
  DIFFERENCES,
  EXTRA_COMMANDS,
  EXTRA_INFO,
  HEADINGS_OTHERWISE,
} from '../diff/sentinel/differences.ts'
import { until } from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { hasRedisServer, type RealNode, startRedis } from '../support/real-nodes.ts'
import {
  type Answer,
  converse,
  hasRedisSentinel,
  type RealSentinel,
  startOurSentinel,
  startRedisSentinel,
} from '../support/real-sentinels.ts'
import {
  bytesOf,
  describedIn,
  documentedIn,
  fieldsOf,
  headingsOf,
  itemsOf,
  pairsOf,
} from '../support/reply-shapes.ts'
import { replyText } from '../support/reply-text.ts'

const FOLDER = fileURLToPath(new URL('../diff/sentinel', import.meta.url))
const SCRIPTS = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'))

/** A port that refuses connections: what is changed in such a group touches nobody. */
const NOBODY = ['sentinel monitor mymaster 127.0.0.1 1 2']

/** More lines of the sentinel.conf, for the scripts that need them. */
const SITUATIONS: Readonly<Record<string, readonly string[]>> = {
  'scripts.txt': ['sentinel deny-scripts-reconfig no'],
  'locked.txt': ['requirepass secret'],
  'renamed.txt': [
    'rename-command PING alive',
    'rename-command ROLE ""',
    'rename-command client visitor',
  ],
}

interface Pair {
  readonly ours: RealSentinel
  readonly theirs: RealSentinel
}

describe.skipIf(!hasRedisSentinel || !hasRedisServer)('against a real redis-sentinel', () => {
  const nodes: RealNode[] = []
  let settled: Pair | undefined

  beforeAll(async () => {
    const master = await startRedis()
    nodes.push(master)
    nodes.push(await startRedis({ replicaof: `127.0.0.1 ${master.port}` }))
    settled = await startPair([`sentinel monitor mymaster 127.0.0.1 ${master.port} 2`])
    await acquainted(settled)
  })

  afterAll(async () => {
    await stopPair(settled)
    for (const node of nodes) await node.stop()
  })

  for (const file of SCRIPTS) {
    for (const protocol of file === 'events.txt' ? ['3'] : ['2', '3']) {
      test(`${file.replace('.txt', '')} gets the same replies in RESP${protocol}`, async () => {
        const pair = file === 'settled.txt' ? settled : await startFresh(file)
        if (pair === undefined) throw new Error('no pair')
        try {
          await compare(file, protocol, pair, nodes[0]?.port ?? 0)
        } finally {
          if (pair !== settled) await stopPair(pair)
        }
      })
    }
  }

  test('every command of a redis-sentinel is described the same way', async () => {
    const [ours, theirs] = await both(settled, ['COMMAND'])
    const [mine, other] = [describedIn(ours), describedIn(theirs)]
    const differing = [...other.keys()].filter((name) => mine.get(name) !== other.get(name))
    expect(differing.sort()).toEqual(Object.keys(COMMANDS_DESCRIBED_OTHERWISE).sort())
    const extra = [...mine.keys()].filter((name) => !other.has(name))
    expect(extra.sort()).toEqual(Object.keys(EXTRA_COMMANDS).sort())
  })

  test('every command of a redis-sentinel has the same age and group', async () => {
    const [ours, theirs] = await both(settled, ['COMMAND', 'DOCS'])
    const [mine, other] = [documentedIn(ours), documentedIn(theirs)]
    for (const [name, text] of other) expect([name, mine.get(name)]).toEqual([name, text])
  })

  test.each(['SENTINEL', 'CLIENT', 'COMMAND', 'ACL'])(
    '%s HELP has the same headings',
    async (name) => {
      const [ours, theirs] = await both(settled, [name, 'HELP'])
      const otherwise = HEADINGS_OTHERWISE[name] ?? {}
      const mine = headingsOf(ours)
      expect(mine.map((line) => otherwise[line] ?? line).filter((line) => line !== '')).toEqual(
        headingsOf(theirs),
      )
      expect(Object.keys(otherwise).filter((line) => !mine.includes(line))).toEqual([])
    },
  )

  test('INFO has the same sections and fields', async () => {
    const [ours, theirs] = await both(settled, ['INFO'])
    const mine = fieldsOf(ours)
    expect(mine.filter((line) => !(line in EXTRA_INFO))).toEqual(fieldsOf(theirs))
    expect(mine.filter((line) => line in EXTRA_INFO)).toEqual(Object.keys(EXTRA_INFO))
  })

  test('CLIENT REPLY silences the same answers', async () => {
    const words = [
      ['CLIENT', 'REPLY', 'SKIP'],
      ['PING', '1'],
      ['PING', '2'],
    ]
    const silent = [
      ['CLIENT', 'REPLY', 'OFF'],
      ['PING', '3'],
      ['CLIENT', 'REPLY', 'ON'],
      ['PING', '4'],
    ]
    const bytes = [...words, ...silent, ['PING', 'end']].map(encodeCommand).join('')
    await expectSameBytes(settled, bytes, (received) => received.endsWith('end\r\n'))
  })

  test('CLIENT CACHING is forgotten at the same moment', async () => {
    const words = ['TRACKING ON OPTIN', 'CACHING YES', 'TRACKINGINFO', 'TRACKINGINFO']
    const client = words.map((line) => ['CLIENT', ...line.split(' ')])
    const bytes = [...client, ['NOPE'], ['CLIENT', 'TRACKINGINFO'], ['PING', 'end']]
    await expectSameBytes(settled, bytes.map(encodeCommand).join(''), (received) =>
      received.endsWith('end\r\n'),
    )
  })

  const FAREWELLS: Readonly<Record<string, string>> = {
    'a browser': 'Host: x\r\n\r\n',
    'a form': 'POST / HTTP/1.1\r\n\r\n',
    'a length that is none': 'PING\r\n*1\r\n$x\r\n',
    'a word without its length': '*1\r\nPING\r\n',
    'a quote that is never closed': 'PING "a\r\n',
  }

  for (const [name, bytes] of Object.entries(FAREWELLS)) {
    test(`${name} is sent away in the same words`, async () => {
      await expectSameBytes(settled, bytes, undefined)
    })
  }

  test('SHUTDOWN ends both without an answer', async () => {
    const pair = await startPair(NOBODY)
    try {
      await expectSameBytes(pair, encodeCommand(['SHUTDOWN']), undefined)
      for (const one of [pair.ours, pair.theirs]) {
        await until(`${one.port} has ended`, 5_000, () => one.exitStatus() === 0)
      }
    } finally {
      await stopPair(pair)
    }
  })

  // The last one on this pair: the roles change places, and back again.
  test('FAILOVER is begun, and refused while one runs, in the same words', async () => {
    const seen: string[][] = []
    // Short periods, so that the old master is turned into a replica soon.
    await both(settled, ['SENTINEL', 'DEBUG', 'info-period', '1000', 'publish-period', '500'])
    for (const one of [settled?.theirs, settled?.ours]) {
      if (one === undefined) throw new Error('no pair')
      await acquainted(settled, nodes[seen.length % 2]?.port)
      await until('INFO is young enough for a choice', 15_000, () => hasFreshInfo(one))
      const failover = ['SENTINEL', 'FAILOVER', 'mymaster']
      const answers = await converse(one.port, [failover, failover])
      seen.push(answers.flatMap(({ replies }) => replies.map((reply) => replyText(reply))))
    }
    expect(seen[1]).toEqual(seen[0])
    expect(seen[0]).toEqual(['+OK', '-INPROG Failover already in progress'])
  })

  test('every difference is in a script', () => {
    for (const [file, lines] of Object.entries(DIFFERENCES)) {
      const known = new Set(readCommands(file).map(({ line }) => line))
      expect(Object.keys(lines).filter((line) => !known.has(line))).toEqual([])
    }
  })
})

/** Compares reply by reply; what is listed as a difference must differ in the protocols it is seen in. */
async function compare(file: string, protocol: string, pair: Pair, master: number): Promise<void> {
  const commands = readCommands(file).map(({ line, argv }) => ({
    line,
    argv: argv.map((word) => (word === '<master>' ? String(master) : word)),
  }))
  const ours = await transcript(pair.ours, pair, protocol, commands)
  const theirs = await transcript(pair.theirs, pair, protocol, commands)
  const listed = DIFFERENCES[file] ?? {}
  const differing = commands.flatMap(({ line }, index) =>
    ours[index] === theirs[index] ? [] : [{ line, ours: ours[index], theirs: theirs[index] }],
  )
  expect(differing.filter(({ line }) => !(line in listed))).toEqual([])
  const differs = new Set(differing.map(({ line }) => line))
  expect(Object.keys(listed).filter((line) => !differs.has(line))).toEqual([])
}

interface Command {
  readonly line: string
  readonly argv: readonly string[]
}

function readCommands(file: string): Command[] {
  return readFileSync(`${FOLDER}/${file}`, 'latin1')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ line, argv: splitArgs(line) ?? [] }))
}

async function transcript(
  one: RealSentinel,
  pair: Pair,
  protocol: string,
  commands: readonly Command[],
): Promise<string[]> {
  const other = one === pair.ours ? pair.theirs : pair.ours
  const [myid, itsId] = await Promise.all([idOf(one), idOf(other)])
  const hello = protocol === '2' ? [] : [['HELLO', '3']]
  const all = await converse(one.port, [...hello, ...commands.map(({ argv }) => argv)])
  const masks: readonly (readonly [string, string])[] = [
    [myid, '<own id>'],
    [itsId, '<id of the other>'],
    [String(one.port), '<own port>'],
    [String(other.port), '<port of the other>'],
  ]
  return all.slice(hello.length).map((answer, index) => shown(answer, commands[index], masks))
}

function shown(
  { replies, isClosed }: Answer,
  command: Command | undefined,
  masks: readonly (readonly [string, string])[],
): string {
  const text = [...replies.map((reply) => replyText(reply)), ...(isClosed ? ['closed'] : [])].join(
    '\n',
  )
  const masked = masks.reduce(
    (seen, [what, name]) => (what === '' ? seen : seen.replaceAll(what, name)),
    text,
  )
  // The texts of INFO, and their ages.
  if (!/^SENTINEL INFO-CACHE mymaster/.test(command?.line ?? '')) return masked
  return masked.replace(/:\d+/g, ':<age>').replace(/"#[^"]*"/g, '<text>')
}

/** Empty where the Sentinel wants a password first: nothing there shows the id. */
async function idOf({ port }: RealSentinel): Promise<string> {
  const [answer] = await converse(port, [['SENTINEL', 'MYID']])
  const [reply] = answer?.replies ?? []
  return reply?.kind === 'bulk' ? reply.bytes : ''
}

async function startPair(lines: readonly string[]): Promise<Pair> {
  return { ours: await startOurSentinel(lines), theirs: await startRedisSentinel(lines) }
}

function startFresh(file: string): Promise<Pair> {
  return startPair([...NOBODY, ...(SITUATIONS[file] ?? [])])
}

async function stopPair(pair: Pair | undefined): Promise<void> {
  await pair?.ours.stop()
  await pair?.theirs.stop()
}

/** Both know the master, the replica and each other, and have INFO of everybody. */
async function acquainted(pair: Pair | undefined, master = 0): Promise<void> {
  for (const one of pair === undefined ? [] : [pair.ours, pair.theirs]) {
    await until(`${one.port} knows everybody`, 30_000, async () => {
      const answers = await converse(one.port, [
        ['SENTINEL', 'MASTER', 'mymaster'],
        ['SENTINEL', 'REPLICAS', 'mymaster'],
        ['SENTINEL', 'SENTINELS', 'mymaster'],
      ])
      const text = answers
        .flatMap(({ replies }) => replies.map((reply) => replyText(reply)))
        .join('\n')
      return (
        (master === 0 || text.includes(`"master-port"\n    "${master}"`)) &&
        /"num-slaves"\s+"1"/.test(text) &&
        /"num-other-sentinels"\s+"1"/.test(text) &&
        /"master-link-status"\s+"ok"/.test(text) &&
        !text.includes('disconnected')
      )
    })
  }
}

async function hasFreshInfo({ port }: RealSentinel): Promise<boolean> {
  const [answer] = await converse(port, [['SENTINEL', 'REPLICAS', 'mymaster']])
  const [reply] = answer?.replies.flatMap(itemsOf) ?? []
  const fields = new Map(reply === undefined ? [] : pairsOf(reply))
  const ageMs = Number(bytesOf(fields.get('info-refresh')))
  return ageMs > 0 && ageMs < 1_500
}

async function both(pair: Pair | undefined, argv: readonly string[]): Promise<[Reply, Reply]> {
  if (pair === undefined) throw new Error('no pair')
  const ask = async ({ port }: RealSentinel): Promise<Reply> => {
    const [answer] = await converse(port, [argv])
    const [reply] = answer?.replies ?? []
    if (reply === undefined) throw new Error('no reply')
    return reply
  }
  return [await ask(pair.ours), await ask(pair.theirs)]
}

/** Without `isWhole`, until the other side closes. */
async function expectSameBytes(
  pair: Pair | undefined,
  bytes: string,
  isWhole: ((received: string) => boolean) | undefined,
): Promise<void> {
  if (pair === undefined) throw new Error('no pair')
  const seen: string[] = []
  for (const { port } of [pair.ours, pair.theirs]) {
    const client = await RawClient.connect(port)
    client.send(bytes)
    seen.push(await (isWhole === undefined ? client.untilClosed() : client.untilReceived(isWhole)))
    client.close()
  }
  expect(seen[0]).toBe(seen[1])
}
