/**
 * The members of a cluster of processes, and their configuration: redis.conf and sentinel.conf, which our programs and
 * Redis' own both read. The Sentinels know each other and the replicas from the beginning.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { quoted } from '../base/quote.ts'
import { utf8Bytes } from '../base/utf8.ts'
import { temporaryFolder } from '../io/files/temporary-folder.ts'
import { reasonAndHintOf } from '../io/start-error.ts'
import type { Members, MembersStart } from './members-start.ts'
import { type FullOptions, runIdOf } from './options.ts'
import { guardFolder } from './process-guard.ts'
import { ProcessNode, ProcessSentinel, type ProcessSentinelStart } from './process-nodes.ts'
import { LOOPBACK, type MemberDoor } from './switchboard.ts'

interface Commands {
  readonly node: readonly string[]
  readonly sentinel: readonly string[]
}

/** What runs, by the engine of the cluster. */
function commandsOf(engine: string): Commands {
  if (engine === 'redis') return { node: ['redis-server'], sentinel: ['redis-sentinel'] }
  const main = demandMain()
  return {
    node: [process.execPath, main, 'server'],
    sentinel: [process.execPath, main, 'sentinel'],
  }
}

/** Looked for only when it is needed: a bundler takes this module away from the programs of its package. */
function demandMain(): string {
  const main = mainBesideUs()
  if (main !== undefined && existsSync(main)) return main
  throw new Error(
    "engine: 'process-lite' runs the programs of the package vedette, and they are not beside this module: if the tests are bundled, leave vedette out of the bundle (esbuild: --external:vedette; webpack: externals)",
  )
}

/** Undefined in a CommonJS bundle, where a module has no address. */
function mainBesideUs(): string | undefined {
  try {
    const here = import.meta.url
    const path = here.endsWith('.ts') ? '../../dist/launch/vedette.cjs' : '../launch/vedette.cjs'
    return fileURLToPath(new URL(path, here))
  } catch {
    return undefined
  }
}

export interface ProcessDoors {
  readonly nodes: readonly MemberDoor[]
  readonly sentinels: readonly MemberDoor[]
}

export async function createProcesses(
  start: MembersStart,
  { nodes, sentinels }: ProcessDoors,
): Promise<Members> {
  const { options, switchboard, clock, cluster, diary, tls } = start
  await demandAddresses(options.engine)
  if (options.engine === 'redis') for (const program of REDIS) demandProgram(program)
  const commands = commandsOf(options.engine)
  const folder = folderOf(options.engine)
  guardFolder(folder)
  const common = (door: MemberDoor, index: number) => {
    const address = addressOf(index)
    switchboard.settle(address, door.name)
    return {
      ...{ name: door.name, door, switchboard, clock, cluster, address },
      folder: join(folder, door.name),
      login: { password: options.password, ...tls?.login },
      log: (member: string, level: string, text: string) => diary.logged(member, level, text),
    }
  }
  const layout: Layout = { options, nodes, sentinels }
  return {
    nodes: nodes.map((door, index) => {
      const own = { ...common(door, index), command: commands.node }
      const conf = (dir: string) => nodeConf(layout, index, own.address, dir)
      return new ProcessNode({ ...own, conf }, groupOf(options, index))
    }),
    sentinels: sentinels.map((door, index) => {
      const own = { ...common(door, nodes.length + index), command: commands.sentinel }
      const conf = (dir: string) => sentinelConf(layout, index, own.address, dir)
      const { groups } = options
      const mended = (text: string) => withQuotes(text, options)
      const onEvent: ProcessSentinelStart['onEvent'] = (event) => diary.heard(event)
      return new ProcessSentinel({ ...own, conf, mended, groups, onEvent })
    }),
    folder,
  }
}

/** Ports are drawn for the doors; behind them each member has the same port at an address of its own. */
function addressOf(index: number): string {
  return `127.77.0.${index + 1}`
}

const REDIS = ['redis-server', 'redis-sentinel'] as const

/** A test shows the message of an error and nothing else, so the remedy stands in it. */
function folderOf(engine: string): string {
  try {
    return temporaryFolder(`engine: '${engine}'`, 'vedette-testing-')
  } catch (error) {
    throw new Error(`${reasonAndHintOf(error)}, or use engine: 'tcp'`)
  }
}

function demandProgram(name: string): void {
  const { error } = spawnSync(name, ['--version'], { stdio: 'ignore' })
  if (error === undefined) return
  throw new Error(
    `engine: 'redis': ${name} is not installed, or not in PATH; use engine: 'process-lite'`,
  )
}

async function demandAddresses(engine: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => {
      const hint = 'on macOS: sudo ifconfig lo0 alias 127.77.0.1, .2, … for each member'
      reject(
        new Error(
          `engine: '${engine}' needs a loopback address for each member, and this system has no 127.77.0.1 (${hint}); use engine: 'tcp'`,
        ),
      )
    })
    server.listen({ host: addressOf(0), port: 0 }, () => server.close(() => resolve()))
  })
}

interface Layout extends ProcessDoors {
  readonly options: FullOptions
}

function groupOf({ groups, replicas }: FullOptions, index: number): string {
  return groups[Math.floor(index / (1 + replicas))] as string
}

function nodeConf({ options, nodes }: Layout, index: number, address: string, dir: string): string {
  const { replicas, password, directives } = options
  const place = index % (1 + replicas)
  const lines: [string, string | number][] = [
    ...portLines(options, nodes[index]?.port ?? 0),
    ['bind', address],
    ['bind-source-addr', address],
    ['protected-mode', 'no'],
    ['replica-announce-ip', LOOPBACK],
    ['replica-announce-port', nodes[index]?.port ?? 0],
    ['dir', `"${dir}"`],
    ['save', '""'],
    ['repl-diskless-sync-delay', 0],
    ['repl-ping-replica-period', 1],
    ...(place === 0
      ? []
      : [['replicaof', `${LOOPBACK} ${nodes[index - place]?.port}`] as const]
    ).map(([name, value]): [string, string] => [name, value]),
    ...secrets(password, 'requirepass', 'masterauth'),
    ...options.users.map((line): [string, string] => ['user', line]),
    ...Object.entries(directives).map(([name, value]): [string, string] => [name, value || '""']),
  ]
  return textOf(lines)
}

function portLines({ tls }: FullOptions, port: number): [string, string | number][] {
  if (tls === undefined) return [['port', port]]
  return [
    ['port', 0],
    ['tls-port', port],
    ['tls-cert-file', `"${tls.certFile}"`],
    ['tls-key-file', `"${tls.keyFile}"`],
    ['tls-ca-cert-file', `"${tls.caFile}"`],
    ['tls-replication', 'yes'],
    ['tls-auth-clients', 'no'],
  ]
}

function secrets(password: string, ...names: readonly string[]): [string, string][] {
  return password === '' ? [] : names.map((name): [string, string] => [name, secretOf(password)])
}

/** Any characters: in quotes, with escapes for what is not ASCII. */
function secretOf(password: string): string {
  return quoted(utf8Bytes(password))
}

/** redis-sentinel writes a password without quotes, and could not read that again. */
function withQuotes(text: string, { groups, password }: FullOptions): string {
  return groups.reduce((mended, group) => {
    const line = `sentinel auth-pass ${group} `
    return mended.split(`${line}${utf8Bytes(password)}\n`).join(`${line}${secretOf(password)}\n`)
  }, text)
}

function sentinelConf(layout: Layout, index: number, address: string, dir: string): string {
  const { options, sentinels } = layout
  const port = sentinels[index]?.port ?? 0
  const myid = (of: number) => runIdOf(options, sentinels[of]?.name ?? '')
  return textOf([
    ...portLines(options, port),
    ['bind', address],
    ['bind-source-addr', address],
    ['protected-mode', 'no'],
    ['dir', `"${dir}"`],
    ...secrets(options.password, 'requirepass'),
    ['sentinel', `myid ${myid(index)}`],
    ['sentinel', `announce-ip ${LOOPBACK}`],
    ['sentinel', `announce-port ${port}`],
    ...options.groups.flatMap((group) => groupLines(layout, group, index, myid)),
  ])
}

function groupLines(
  { options, nodes, sentinels }: Layout,
  group: string,
  index: number,
  myid: (of: number) => string,
): [string, string][] {
  const [master, ...replicas] = nodes.filter((_, place) => groupOf(options, place) === group)
  const { quorum, downAfterMs, failoverTimeoutMs, password, engine, detection } = options
  const lines = [
    `monitor ${group} ${LOOPBACK} ${master?.port} ${quorum}`,
    `down-after-milliseconds ${group} ${downAfterMs}`,
    `failover-timeout ${group} ${failoverTimeoutMs}`,
    `parallel-syncs ${group} ${Math.max(1, replicas.length)}`,
    ...(password === '' ? [] : [`auth-pass ${group} ${secretOf(password)}`]),
    ...(engine === 'redis' ? [] : [`detection ${group} ${detection}`]),
    ...replicas.map(({ port }) => `known-replica ${group} ${LOOPBACK} ${port}`),
    ...sentinels.flatMap(({ port }, peer) =>
      peer === index ? [] : [`known-sentinel ${group} ${LOOPBACK} ${port} ${myid(peer)}`],
    ),
  ]
  return lines.map((line): [string, string] => ['sentinel', line])
}

function textOf(lines: readonly (readonly [string, string | number])[]): string {
  return `${lines.map(([name, value]) => `${name} ${value}`).join('\n')}\n`
}
