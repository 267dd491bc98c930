/**
 * Masters and replicas that lie. A node that was told to follow a hostile master keeps what it has, stays
 * small and answers, and copies the next sound one. A replica that lies about itself can be chosen, as
 * with redis-sentinel; one that is chosen and does not obey costs time, and no more than that.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import {
  type Answers,
  ask,
  HAS_PROC,
  Liar,
  residentBytes,
  runIdOf,
  say,
  slowestPingMs,
  untilAnswering,
} from '../support/adversary.ts'
import {
  freePorts,
  HAS_REDIS_SENTINEL,
  node,
  type Program,
  sentinelOn,
  stopAll,
  until,
} from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'

const MIB = 1024 * 1024
const ID = runIdOf('b')
const LINE = `+FULLRESYNC ${ID} 100\r\n`
const RDB = 'REDIS0009'
const MARK = 'm'.repeat(40)

/** What it says to PSYNC; everything before it is as it should be. */
function hostile(toPsync: Answers): Answers {
  return (argv, socket) => {
    const name = argv[0]?.toUpperCase()
    if (name === 'PING') return '+PONG\r\n'
    if (name === 'INFO') return `$0\r\n\r\n`
    if (name === 'PSYNC' || name === 'SYNC') return toPsync(argv, socket)
    return argv[1]?.toUpperCase() === 'ACK' ? undefined : '+OK\r\n'
  }
}

/** Sends the same piece for as long as it is taken. */
function endless(first: string, piece: string): Answers {
  return (_argv, socket) => {
    socket.write(first, 'latin1')
    const go = () => {
      let left = 64
      while (left-- > 0 && socket.writable && socket.write(piece, 'latin1'));
      if (socket.writable) setTimeout(go, 1)
    }
    go()
    return undefined
  }
}

/** A list whose length is a lie, and whatever else follows. */
const LYING_LIST = `${RDB}\x01\x01k\x81${'\x7f'.repeat(8)}`

const MASTERS: Readonly<Record<string, Answers>> = {
  'a copy of nine million terabytes': () => `${LINE}$9223372036854775807\r\n${RDB}`,
  'a negative length': () => `${LINE}$-5\r\n${RDB}`,
  'a length that is no number': () => `${LINE}$1e9\r\n${RDB}`,
  'half a copy, then silence': () => `${LINE}$500000\r\n${RDB}\xfe\0`,
  'a wrong checksum': () => `${LINE}$18\r\n${RDB}\xff12345678`,
  'a list that promises 2^63 elements': () => `${LINE}$5000000\r\n${LYING_LIST}`,
  'a string that promises 4 GiB': () => `${LINE}$5000000\r\n${RDB}\0\x01k\x80\xff\xff\xff\xff`,
  'a type nobody knows': () => `${LINE}$20\r\n${RDB}\xf0\x01k\x01v1234567`,
  'noise without end': endless(`${LINE}$EOF:${MARK}\r\n${RDB}`, '\xee'.repeat(65_536)),
  'a line without end': endless('+FULLRESYNC ', 'x'.repeat(65_536)),
  'newlines without end': endless('', '\n'.repeat(4_096)),
  'an offset of 2^63 - 1': () => `+FULLRESYNC ${ID} 9223372036854775807\r\n`,
  'an offset below zero, and an id that is none': () => '+FULLRESYNC x -7\r\n',
  'replies of another kind': () => '*3\r\n:1\r\n$-1\r\n*-1\r\n',
}

test('hostile masters: the old data are served, memory stays, and the next sound master is copied', async (context) => {
  const folder = scratchFolder('masters')
  const [one = 0, two = 0] = await freePorts(2)
  const replica = node(folder, one)
  const sound = node(folder, two)
  context.onTestFinished(() => stopAll(folder, [replica, sound]))
  for (const program of [replica, sound]) {
    program.start()
    await untilAnswering(program)
  }
  await say(one, ['SET', 'mine', 'old'])
  await say(two, ['SET', 'theirs', 'new'])
  const beforeBytes = HAS_PROC ? residentBytes(replica) : 0
  for (const [name, toPsync] of Object.entries(MASTERS)) {
    const liar = await Liar.listen(context, ID, hostile(toPsync))
    await ask(one, 'REPLICAOF', '127.0.0.1', String(liar.port))
    await until(`it has met ${name}`, 10_000, () => liar.heard.some((one) => /^P?SYNC/.test(one)))
    expect(await slowestPingMs(one, 5), name).toBeLessThan(4_000)
    expect(await ask(one, 'GET', 'mine'), name).toBe('old')
    expect(await ask(one, 'INFO', 'replication'), name).toContain('master_link_status:down')
    if (HAS_PROC) expect(residentBytes(replica) - beforeBytes, name).toBeLessThan(150 * MIB)
    liar.close()
  }
  await ask(one, 'REPLICAOF', '127.0.0.1', String(two))
  await until('the sound master is copied', 15_000, async () => {
    return (await ask(one, 'GET', 'theirs')) === 'new'
  })
})

test('RESTORE takes no payload whose version, length or checksum lies, and keeps the key as it was', async (context) => {
  const folder = scratchFolder('restore')
  const [port = 0] = await freePorts(1)
  const program = node(folder, port)
  context.onTestFinished(() => stopAll(folder, [program]))
  program.start()
  await untilAnswering(program)
  const [, dump] = await say(port, ['RPUSH', 'list', 'a', 'b', 'c'], ['DUMP', 'list'])
  const bytes = dump?.kind === 'bulk' ? dump.bytes : ''
  const forged = [
    ...['', '\0', bytes.slice(0, -1), bytes.slice(1), `${bytes}x`],
    ...Array.from(bytes, (char, at) => {
      const flipped = String.fromCharCode(char.charCodeAt(0) ^ 0x80)
      return bytes.slice(0, at) + flipped + bytes.slice(at + 1)
    }),
  ]
  const replies = await say(
    port,
    ...forged.map((payload) => ['RESTORE', 'list', '0', payload, 'REPLACE']),
  )
  expect(new Set(replies.map((one) => one.kind))).toEqual(new Set(['error']))
  expect(await ask(port, 'LRANGE', 'list', '0', '-1')).toBe('a b c')
})

/** INFO of a replica that wants to be the next master. */
function boast(master: number, role: string): string {
  const text = [
    ...['# Server', `run_id:${runIdOf('0')}`, '# Replication', `role:${role}`],
    ...['master_host:127.0.0.1', `master_port:${master}`, 'master_link_status:up'],
    ...['slave_priority:1', 'slave_repl_offset:9223372036854775807', 'slave_read_only:1'],
    ...[`master_replid:${runIdOf('c')}`, 'master_repl_offset:9223372036854775807', ''],
  ].join('\r\n')
  return `$${text.length}\r\n${text}\r\n`
}

/** Listens like a replica, and has the master believe that it is one. */
async function lyingReplica(
  context: TestContext,
  master: number,
  obeys: boolean,
): Promise<{ liar: Liar }> {
  let role = 'slave'
  const liar = await Liar.listen(context, runIdOf('0'), (argv, socket) => {
    const name = argv[0]?.toUpperCase()
    if (name === 'PING') return '+PONG\r\n'
    if (name === 'INFO') return boast(master, role)
    if (name === 'SUBSCRIBE') {
      socket.write('*3\r\n$9\r\nsubscribe\r\n$18\r\n__sentinel__:hello\r\n:1\r\n')
      return undefined
    }
    if (name === 'SLAVEOF' && obeys) role = argv[1]?.toUpperCase() === 'NO' ? 'master' : 'slave'
    if (name === 'EXEC') return '*4\r\n+OK\r\n+OK\r\n:0\r\n:0\r\n'
    return '+OK\r\n'
  })
  const link = await RawClient.connect(master)
  context.onTestFinished(() => link.close())
  for (const words of [`listening-port ${liar.port}`, 'capa eof capa psync2']) {
    await link.expectReply(encodeCommand(['REPLCONF', ...words.split(' ')]), '+OK\r\n')
  }
  link.send(encodeCommand(['PSYNC', '?', '-1']))
  await link.untilReceived((text) => text.includes('FULLRESYNC'))
  link.send(encodeCommand(['REPLCONF', 'ACK', '1']))
  return { liar }
}

const KINDS = [['ours', false] as const, ...(HAS_REDIS_SENTINEL ? [["Redis'", true] as const] : [])]

interface Group {
  readonly master: Program
  readonly replica: Program
  readonly watcher: Program
  readonly liar: Liar
}

async function withLiar(context: TestContext, isRedis: boolean, obeys: boolean): Promise<Group> {
  const folder = scratchFolder('liar')
  const [one = 0, two = 0, three = 0] = await freePorts(3)
  const master = node(folder, one)
  const replica = node(folder, two, [`replicaof 127.0.0.1 ${one}`])
  const dir = join(folder, 'watcher')
  mkdirSync(dir)
  const path = join(dir, 'sentinel.conf')
  const lines = [
    ...[`port ${three}`, 'bind 127.0.0.1', `dir ${dir}`],
    `sentinel monitor mymaster 127.0.0.1 ${one} 1`,
    `sentinel down-after-milliseconds mymaster ${isRedis ? 2_000 : 500}`,
    'sentinel failover-timeout mymaster 1500',
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  const watcher = sentinelOn(path, three, `${dir}.log`, isRedis)
  context.onTestFinished(() => stopAll(folder, [master, replica, watcher]))
  for (const program of [master, replica]) {
    program.start()
    await untilAnswering(program)
  }
  await until('the honest replica follows', 10_000, async () => {
    return (await ask(two, 'INFO', 'replication')).includes('master_link_status:up')
  })
  const { liar } = await lyingReplica(context, one, obeys)
  watcher.start()
  await untilAnswering(watcher)
  await until('the liar is known and has been asked', 20_000, async () => {
    const known = await ask(three, 'SENTINEL', 'REPLICAS', 'mymaster')
    return (
      known.includes(`:${liar.port}`) && known.includes(`:${two}`) && liar.heard.includes('INFO')
    )
  })
  return { master, replica, watcher, liar }
}

describe.each(KINDS)('a replica that lies in INFO, %s', (_name, isRedis) => {
  test('says the most of itself, obeys, and is promoted: whoever may attach as a replica can', async (context) => {
    const { master, watcher, liar } = await withLiar(context, isRedis, true)
    await master.kill()
    await until('the liar is the master', 15_000, async () => {
      const answer = await ask(watcher.port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')
      return answer === `127.0.0.1 ${liar.port}`
    })
  })
})

test('a replica that boasts and does not obey costs one failover-timeout, then the honest one is promoted', async (context) => {
  const { master, replica, watcher } = await withLiar(context, false, false)
  await master.kill()
  await until('the honest replica is the master', 20_000, async () => {
    const answer = await ask(watcher.port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')
    return answer === `127.0.0.1 ${replica.port}`
  })
})

test.skipIf(!HAS_REDIS_SENTINEL)(
  'redis-sentinel chooses the one that does not obey again and again',
  async (context) => {
    const { master, watcher, liar } = await withLiar(context, true, false)
    await master.kill()
    const chosen = new RegExp(`\\+selected-slave slave 127.0.0.1:${liar.port}`, 'g')
    await until('it has been chosen twice', 25_000, () => {
      return (watcher.log().match(chosen) ?? []).length >= 2
    })
  },
)
