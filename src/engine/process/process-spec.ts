/** Which program each process of a topology runs, and which files it finds at its first start. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Address } from '../../base/ip.ts'
import { quoted } from '../../base/quote.ts'
import { utf8Bytes } from '../../base/utf8.ts'
import type { GroupOption, HostRule } from '../../core/group-option-kinds.ts'
import {
  GROUP_OPTIONS,
  type GroupOptionKey,
  type GroupOptionValues,
  isOwnOption,
} from '../../core/group-options.ts'
import {
  type ClientSpec,
  databasesOf,
  directivesOf,
  type GroupSpec,
  moreOptionsOf,
  type NodeSpec,
  optionWords,
  type SentinelSpec,
  SPEC_OPTION_ROWS,
  type Topology,
} from '../../history/topology.ts'
import type { ClientOrder } from './client-report.ts'

/**
 * The make of the programs: ours, Redis' own, or Redis' nodes under Sentinels of both makes in
 * turn.
 */
export type Against = 'vedette' | 'redis' | 'mixed'

export interface ProcessRole {
  readonly command: readonly string[]
  readonly files: ReadonlyMap<string, string>
}

export interface ProcessSpecOptions {
  readonly against: Against
  readonly topology: Topology
  readonly addressOf: AddressOf
  /** Whether our Sentinels record what they are told. */
  readonly hasBlackBox: boolean
}

/** The replicas of a strict group answer no reads, so that only DEBUG DIGEST says what they hold. */
const ASKED_FOR_DIGESTS = ['enable-debug-command', 'yes'] as const

export function nodeRole(spec: NodeSpec, folder: string, casting: ProcessSpecOptions): ProcessRole {
  const path = join(folder, 'redis.conf')
  const isOurs = casting.against === 'vedette'
  const own = directivesOf(casting.topology, spec)
  const directives = isOurs ? new Map([...own, ASKED_FOR_DIGESTS]) : own
  const text = redisConf({ ...spec, directives }, folder, casting.addressOf)
  const files = new Map([['redis.conf', text]])
  const command = isOurs ? ours('server', path) : ['redis-server', path]
  return { command, files }
}

export function sentinelRole(
  spec: SentinelSpec,
  folder: string,
  casting: ProcessSpecOptions,
): ProcessRole {
  const { topology, addressOf } = casting
  if (isOurSentinel(spec, casting)) {
    const more = (group: GroupSpec) => moreOptionsOf(topology, group, addressOf)
    const blackBox = `black-box: ${casting.hasBlackBox ? 'yes' : 'no'}\n`
    const text = blackBox + sentinelYml(spec, topology.groups, addressOf, more)
    const files = new Map([['sentinel.yml', text]])
    return { command: ours('sentinel', join(folder, 'sentinel.yml')), files }
  }
  const text = sentinelConf(spec, topology.groups, { folder, addressOf })
  const files = new Map([['sentinel.conf', text]])
  return { command: ['redis-sentinel', join(folder, 'sentinel.conf')], files }
}

export interface ClientLifeStart {
  readonly life: number
  readonly originNs: bigint
}

export function clientCommand(
  spec: ClientSpec,
  { life, originNs }: ClientLifeStart,
  { topology, addressOf }: ProcessSpecOptions,
): readonly string[] {
  const { name, group, operation, pace, manner, wait, hasProxy } = spec
  const sentinels = topology.sentinels.map((sentinel) => addressOf(sentinel.name))
  const order: ClientOrder = {
    ...{ name, life, group, sentinels, operation, pace, manner, wait, hasProxy },
    databases: databasesOf(topology, name),
    originNs: String(originNs),
  }
  return [process.execPath, builtFile('engine/process/client-main.js'), JSON.stringify(order)]
}

export function writeFiles(folder: string, { files }: ProcessRole): void {
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}

/** Why none of our programs can be started; undefined: they can. */
export function missingBuild(): string | undefined {
  const main = builtFile('launch/vedette.cjs')
  return existsSync(main) ? undefined : `${main} is missing (npm run build makes it)`
}

function isOurSentinel(spec: SentinelSpec, { against, topology }: ProcessSpecOptions): boolean {
  if (against !== 'mixed') return against === 'vedette'
  return topology.sentinels.findIndex(({ name }) => name === spec.name) % 2 === 0
}

function ours(program: 'server' | 'sentinel', path: string): readonly string[] {
  return [process.execPath, builtFile('launch/vedette.cjs'), program, path]
}

/** Processes always run the built code, even if this file itself is run from the sources. */
function builtFile(path: string): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(`${isSource ? '../../../dist' : '../..'}/${path}`, import.meta.url))
}

/**
 * The configuration of each process, as an operator would write it. Sentinels of both makes get the
 * same rules, nodes of both makes the same directives; what a file does not say is the program's
 * own default.
 */
type AddressOf = (process: string) => Address

/** A redis.conf that both redis-server and our data node accept. */
export function redisConf(spec: NodeSpec, folder: string, addressOf: AddressOf): string {
  const lines = [
    `port ${spec.port}`,
    `dir ${quoted(utf8Bytes(folder))}`,
    // Every host is a stranger to every other one.
    'protected-mode no',
    // Nothing is kept on disk unless the scenario says so, so that both makes of nodes are compared
    // alike.
    'save ""',
    ...[...spec.directives].map(([name, value]) => `${name} ${value === '' ? '""' : value}`),
  ]
  if (spec.replicaOf !== undefined) {
    const { host, port } = addressOf(spec.replicaOf)
    lines.push(`replicaof ${host} ${port}`)
  }
  return `${lines.join('\n')}\n`
}

export function sentinelYml(
  spec: SentinelSpec,
  groups: readonly GroupSpec[],
  addressOf: AddressOf,
  more: (group: GroupSpec) => Partial<GroupOptionValues> = () => ({}),
): string {
  const lines = [
    `port: ${spec.port}`,
    'bind: 0.0.0.0',
    'protected-mode: no',
    'groups:',
    ...groups.flatMap((group) => {
      const { host, port } = addressOf(group.master)
      const words = optionWords(group, (ms) => `${ms}ms`)
      return [
        `  ${JSON.stringify(group.name)}:`,
        `    master: ${host}:${port}`,
        ...Object.entries(words).map(([option, value]) => `    ${option}: ${value}`),
        ...promotionLines(more(group)),
      ]
    }),
  ]
  return `${lines.join('\n')}\n`
}

/** Values of JSON are values of YAML. */
function promotionLines(options: Partial<GroupOptionValues>): readonly string[] {
  return Object.entries(options).map(([key, value]) => {
    const row: GroupOption = GROUP_OPTIONS[key as GroupOptionKey]
    // Rules are a map, other lists are lists.
    const shown = row.kind === 'rules' ? Object.fromEntries(value as HostRule[]) : value
    return `    ${row.yml}: ${JSON.stringify(shown)}`
  })
}

/** The options that redis-sentinel knows, besides those in its `sentinel monitor` line. */
const REDIS_ROWS = SPEC_OPTION_ROWS.filter(({ row }) => !isOwnOption(row) && !row.isInMonitor)

/** redis-sentinel writes what it learns into this very file. */
export function sentinelConf(
  spec: SentinelSpec,
  groups: readonly GroupSpec[],
  paths: { readonly folder: string; readonly addressOf: AddressOf },
): string {
  const lines = [
    `port ${spec.port}`,
    `dir ${quoted(utf8Bytes(paths.folder))}`,
    'protected-mode no',
    ...groups.flatMap((group) => {
      const { host, port } = paths.addressOf(group.master)
      const { name } = group
      return [
        `sentinel monitor ${name} ${host} ${port} ${group.quorum}`,
        ...REDIS_ROWS.map(({ key, row }) => `sentinel ${row.name} ${name} ${group[key]}`),
      ]
    }),
  ]
  return `${lines.join('\n')}\n`
}
