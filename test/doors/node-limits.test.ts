/**
 * What the system gives a data node, and what belongs to one node only: the files it may open, and the
 * append-only file. Too few of the first must not end it, and two must not share the second.
 */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { freePorts, MAIN, Program, stopAll, until, vedette } from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'

const REFUSED = '-ERR max number of clients reached\r\n'
const FILES = 220
/** What is left when the node has kept back what it needs itself. */
const ROOM = 156

let folder = ''
let program: Program
const clients: RawClient[] = []

beforeEach(() => {
  folder = scratchFolder('node-limits')
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await stopAll(folder, [program])
})

async function start(...words: readonly string[]): Promise<void> {
  const [port] = (await freePorts(1)) as [number]
  const dir = join(folder, 'data')
  mkdirSync(dir, { recursive: true })
  const options = [`--port ${port}`, `--dir ${dir}`, ...words].join(' ')
  const command = `ulimit -n ${FILES}; exec ${process.execPath} ${MAIN} server ${options}`
  program = new Program(port, join(folder, 'node.log'), 'sh', ['-c', command])
  program.start()
  await until('it listens', 10_000, listens)
}

async function listens(): Promise<boolean> {
  ;(await RawClient.connect(program.port)).close()
  return true
}

async function connected(): Promise<RawClient> {
  const client = await RawClient.connect(program.port)
  clients.push(client)
  return client
}

test('more clients than there are files for are refused in words, and the node goes on keeping data', async () => {
  await start('--appendonly yes')
  expect(program.log()).toContain(`maxclients is ${ROOM} instead of 10000`)
  const first = await connected()
  await first.expectReply(encodeCommand(['PING']), '+PONG\r\n')
  while (clients.length < ROOM) await (await connected()).reply(encodeCommand(['PING']), 7)
  // Clients that stay when they were turned away hold files as well.
  for (let more = 0; more < 100; more++) {
    await (await connected()).untilReceived((text) => text === REFUSED)
  }
  for (const words of [['SET', 'a', '1'], ['SAVE']]) {
    await first.expectReply(encodeCommand(words), '+OK\r\n')
  }
  expect(await first.reply(encodeCommand(['INFO', 'memory']), 100)).toContain('used_memory_rss:')
  const refused = await first.reply(encodeCommand(['CONFIG', 'SET', 'maxclients', '9999']), 100)
  expect(refused).toContain(`specified number of clients, try with ${ROOM}`)
})

test('a second node does not get at an append-only file that is in use, and a dead one is no obstacle', async () => {
  await start('--appendonly yes')
  const dir = join(folder, 'data')
  const [port] = (await freePorts(1)) as [number]
  const second = ['server', '--port', `${port}`, '--dir', dir, '--appendonly', 'yes']
  expect(await vedette(...second)).toEqual({
    status: 1,
    stdout: '',
    stderr:
      `vedette: the append-only file in ${dir}/appendonlydir is taken: process ${program.pid} uses it\n` +
      '  stop that process, or give this node a dir of its own\n',
  })
  await program.kill()
  await start('--appendonly yes')
  expect(readdirSync(dir).filter((name) => name.includes('.lock-'))).toHaveLength(1)
})
