/** What the system gives a Sentinel and a proxy: with too few files they refuse clients in words, and work on. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePorts, MAIN, Program, stopAll, until } from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'

const REFUSED = '-ERR max number of clients reached\r\n'
const FILES = 220

let folder = ''
let program: Program
const clients: RawClient[] = []

beforeEach(() => {
  folder = scratchFolder('client-limits')
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await stopAll(folder, [program])
})

async function start(command: string, port: number, text: string): Promise<void> {
  const file = join(folder, 'sentinel.yml')
  writeFileSync(file, text)
  const shell = `ulimit -n ${FILES}; exec ${process.execPath} ${MAIN} ${command} ${file}`
  program = new Program(port, join(folder, 'program.log'), 'sh', ['-c', shell])
  program.start()
  await until('it listens', 10_000, async () => {
    ;(await RawClient.connect(port)).close()
    return true
  })
}

/** As many as there is room for; the next one is refused in words. */
async function fillUp(room: number, port: number): Promise<void> {
  while (clients.length < room) clients.push(await RawClient.connect(port))
  const client = await RawClient.connect(port)
  clients.push(client)
  await client.untilReceived((text) => text === REFUSED)
}

test('a Sentinel lowers maxclients, says so, and does so at a reload, too', async () => {
  const [port = 0] = await freePorts(1)
  const group = 'groups: {mymaster: {master: "127.0.0.1:1", quorum: 1}}'
  await start('sentinel', port, `port: ${port}\n${group}\n`)
  expect(program.log()).toContain('maxclients is 146 instead of 10000')
  await fillUp(146, port)
  program.signal('SIGHUP')
  const line = 'reload: maxclients is 146 instead of 10000'
  await until('the reload says so', 10_000, () => program.log().includes(line))
})

test('a proxy lowers max-clients to half of it, since each client has a connection to a node', async () => {
  const [port = 0] = await freePorts(1)
  const proxy = `{sentinels: ["127.0.0.1:1"], groups: {mymaster: {port: ${port}}}}`
  await start('proxy', port, `proxy: ${proxy}\n`)
  expect(program.log()).toContain('max-clients of the proxy is 78 instead of 10000')
  await fillUp(78, port)
})
