/** A log file that was moved away without a signal, as by a logrotate rule that has no postrotate. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openLogger } from '../../src/io/log/logger.ts'
import { freePorts, MAIN, node, Program, sentinel, stopAll, until } from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'

const folders: string[] = []
const programs: Program[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await stopAll(folder, programs.splice(0))
})

function ownFolder(): string {
  const folder = scratchFolder('log-moved')
  folders.push(folder)
  return folder
}

function contains(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8').includes(text)
}

/** Sends a command that is worth a line of the log. */
async function told(port: number, line: string): Promise<true> {
  const client = await RawClient.connect(port)
  await client.reply(`${line}\r\n`, 1)
  client.close()
  return true
}

test.each([
  [
    'a data node',
    (folder: string, port: number, log: string) => node(folder, port, [`logfile ${log}`]),
    'REPLICAOF NO ONE',
    'REPLICAOF 127.0.0.1 1',
  ],
  [
    'a Sentinel',
    (folder: string, port: number, log: string) =>
      sentinel(folder, port, { master: 1, lines: [`log-file: ${log}`] }),
    'SENTINEL SET mymaster quorum 1',
    'SENTINEL SET mymaster quorum 2',
  ],
] as const)('%s makes it anew', async (_, create, one, other) => {
  const folder = ownFolder()
  const log = join(folder, 'program.log')
  const [port = 0] = await freePorts(1)
  const program = create(folder, port, log)
  programs.push(program)
  program.start()
  await until('it has begun a log and answers', 10_000, () => existsSync(log) && told(port, 'PING'))
  renameSync(log, `${log}.1`)
  await until('the log is there again', 10_000, async () => {
    await told(port, other)
    await told(port, one)
    return existsSync(log)
  })
})

test('a proxy makes it anew', async () => {
  const folder = ownFolder()
  const log = join(folder, 'program.log')
  const [port = 0, sentinelPort = 0] = await freePorts(2)
  const file = join(folder, 'proxy.yml')
  const groups = `groups: {mymaster: {port: ${port}}}`
  writeFileSync(
    file,
    `log-file: ${log}\nproxy: {sentinels: ["127.0.0.1:${sentinelPort}"], ${groups}}\n`,
  )
  const proxy = new Program(port, join(folder, 'output'), process.execPath, [MAIN, 'proxy', file])
  const watcher = sentinel(folder, sentinelPort, { master: 1 })
  programs.push(proxy, watcher)
  proxy.start()
  await until('it has missed its Sentinel', 10_000, () => contains(log, 'ECONNREFUSED'))
  renameSync(log, `${log}.1`)
  watcher.start()
  // For a second lines may still go to the file that was moved away.
  const isTold = () => [log, `${log}.1`].some((path) => contains(path, 'it answers'))
  await until('it has heard of it', 10_000, isTold)
  const heardAtMs = performance.now()
  await until('the second is over', 10_000, () => performance.now() - heardAtMs > 1_000)
  await watcher.kill()
  await until('it has missed it in a new log', 10_000, () => contains(log, 'ECONNREFUSED'))
})

test('no line is lost, and a folder that is missing is told where the lines still go', async () => {
  const folder = join(ownFolder(), 'logs')
  mkdirSync(folder)
  const file = join(folder, 'log')
  const logger = await openLogger({ level: 'notice', file, program: 'proxy', port: 1 })
  let lines = 0
  const untilIn = (path: string, text: string) =>
    until(`${path} has ${text}`, 10_000, () => {
      logger.log('notice', `line ${++lines}.`)
      return contains(path, text)
    })
  await untilIn(file, 'line 1.')
  renameSync(folder, `${folder}.old`)
  const moved = join(`${folder}.old`, 'log')
  await untilIn(moved, `cannot write the log file ${file}: ENOENT; the file was moved away`)
  mkdirSync(folder)
  await untilIn(file, 'line')
  logger.flush()
  const all = readFileSync(moved, 'utf8') + readFileSync(file, 'utf8')
  const told = [...all.matchAll(/line (\d+)\./g)].map(([, number]) => Number(number))
  expect(told).toEqual(Array.from({ length: lines }, (_, at) => at + 1))
  expect(all.match(/was moved away/g)).toHaveLength(1)
})
