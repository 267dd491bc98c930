/** Which program each process of a topology is, and what it finds in its folder at its first start. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClientSpec, NodeSpec, SentinelSpec, Topology } from '../../sim/topology.ts'
import type { ClientOrder } from './client-report.ts'
import { type AddressOf, redisConf, sentinelConf, sentinelYml } from './config-files.ts'

/** Whose programs: ours, Redis' own, or its nodes under Sentinels of both kinds in turn. */
export type Against = 'vedette' | 'redis' | 'mixed'

export interface Role {
  readonly command: readonly string[]
  readonly files: ReadonlyMap<string, string>
}

export interface Casting {
  readonly against: Against
  readonly topology: Topology
  readonly addressOf: AddressOf
}

export function nodeRole(spec: NodeSpec, folder: string, casting: Casting): Role {
  const path = join(folder, 'redis.conf')
  const files = new Map([['redis.conf', redisConf(spec, folder, casting.addressOf)]])
  const command = casting.against === 'vedette' ? ours('server', path) : ['redis-server', path]
  return { command, files }
}

export function sentinelRole(spec: SentinelSpec, folder: string, casting: Casting): Role {
  const { topology, addressOf } = casting
  if (isOurSentinel(spec, casting)) {
    const text = sentinelYml(spec, topology.groups, addressOf)
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
  { topology, addressOf }: Casting,
): readonly string[] {
  const { name, group, operation, pace } = spec
  const sentinels = topology.sentinels.map((sentinel) => addressOf(sentinel.name))
  const order: ClientOrder = {
    ...{ name, life, group, sentinels, operation, pace },
    originNs: String(originNs),
  }
  return [process.execPath, builtFile('engine/process/client-main.js'), JSON.stringify(order)]
}

export function writeFiles(folder: string, { files }: Role): void {
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
}

/** Why nothing of ours can be started; undefined: it can. */
export function missingBuild(): string | undefined {
  const main = builtFile('cli/main.js')
  return existsSync(main) ? undefined : `${main} is missing (npm run build makes it)`
}

function isOurSentinel(spec: SentinelSpec, { against, topology }: Casting): boolean {
  if (against !== 'mixed') return against === 'vedette'
  return topology.sentinels.findIndex(({ name }) => name === spec.name) % 2 === 0
}

function ours(program: 'server' | 'sentinel', path: string): readonly string[] {
  return [process.execPath, builtFile('cli/main.js'), program, path]
}

/** Processes always run what was built, also when this file itself is run from the sources. */
function builtFile(path: string): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(`${isSource ? '../../../dist' : '../..'}/${path}`, import.meta.url))
}
