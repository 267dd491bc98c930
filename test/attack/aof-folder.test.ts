/**
 * The append-only folder deleted under a real process, with and without a restart before: it is made anew by
 * itself, also when nobody writes, and a process that is killed then loses nothing.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { freePorts, node, type Program, stopAll, until } from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'

let folder = ''
let program: Program
let files = ''

beforeEach(() => {
  folder = scratchFolder('aof-folder')
})
afterEach(() => stopAll(folder, [program]))

async function start(policy: string): Promise<void> {
  const [port] = (await freePorts(1)) as [number]
  program = node(folder, port, ['appendonly yes', `appendfsync ${policy}`])
  files = join(program.folder, 'appendonlydir')
  program.start()
  await ready()
}

async function ready(): Promise<void> {
  await until('it listens', 10_000, async () => (await say('PING')) === '+PONG\r\n')
}

async function restarted(): Promise<void> {
  await program.kill()
  program.start()
  await ready()
}

async function say(...words: string[]): Promise<string> {
  const client = await RawClient.connect(program.port)
  try {
    return await client.reply(encodeCommand(words), 4)
  } finally {
    client.close()
  }
}

async function deleted(): Promise<void> {
  rmSync(files, { recursive: true })
}

async function healed(): Promise<void> {
  const manifest = join(files, 'appendonly.aof.manifest')
  await until('the folder is there again', 5_000, () => existsSync(manifest))
  await until('it is of use', 5_000, async () => (await say('PING')) === '+PONG\r\n')
}

const POLICIES = ['everysec', 'always']

test.each(POLICIES)(
  'with appendfsync %s, an idle node makes it anew after a restart',
  async (policy) => {
    await start(policy)
    expect(await say('SET', 'a', '1')).toBe('+OK\r\n')
    await restarted()
    await deleted()
    await healed()
    await restarted()
    expect(await say('GET', 'a')).toBe('$1\r\n1\r\n')
  },
)

test.each(POLICIES)('with appendfsync %s, a write meets it gone, and is kept', async (policy) => {
  await start(policy)
  expect(await say('SET', 'a', '1')).toBe('+OK\r\n')
  for (const isRestarted of [true, false]) {
    if (isRestarted) await restarted()
    await deleted()
    const key = `b${isRestarted}`
    expect(await say('SET', key, '1')).toBe('+OK\r\n')
    // Told only then: there is nothing a killed process would lose.
    if (policy === 'everysec') await healed()
    await restarted()
    expect(await say('MGET', 'a', key)).toBe('*2\r\n$1\r\n1\r\n$1\r\n1\r\n')
  }
})

test('only its contents deleted after a restart: made anew', async () => {
  await start('everysec')
  expect(await say('SET', 'a', '1')).toBe('+OK\r\n')
  await restarted()
  rmSync(join(files, 'appendonly.aof.1.incr.aof'))
  expect(await say('SET', 'b', '1')).toBe('+OK\r\n')
  await until('it is written anew', 5_000, () => program.log().includes('was written anew'))
  await healed()
  await restarted()
  expect(await say('MGET', 'a', 'b')).toBe('*2\r\n$1\r\n1\r\n$1\r\n1\r\n')
})
