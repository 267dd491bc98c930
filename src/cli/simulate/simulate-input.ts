/**
 * Reads the input of `vedette simulate`: Sentinel configurations, their state files, and
 * redis.confs.
 */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { NO_OUTSIDE } from '../../config/config-filesystem.ts'
import type { Problem } from '../../config/problem.ts'
import { parseRedisConf } from '../../config/redis-conf.ts'
import { type SentinelFile, stateFileName } from '../../config/sentinel-file.ts'
import { decodeState } from '../../config/state-file.ts'
import type { SavedGroup } from '../../core/persistence/saved.ts'
import { Settings } from '../../server/settings/settings.ts'
import { buildCluster, type ClusterOptions } from '../../simulate/build-cluster.ts'
import type { SimulatedCluster } from '../../simulate/cluster.ts'
import { readTextFile } from '../files.ts'
import { reportProblems, say } from '../report.ts'
import { readSentinelFile } from '../sentinel/sentinel-config.ts'
import { nodeDirectives } from '../server/node-directives.ts'
import { UserLines } from '../server/node-users.ts'

export interface ClusterInput {
  /** sentinel.yml or sentinel.conf. */
  readonly path: string
  /**
   * The redis.conf of the master, of the first replica and so on; the last one serves all other
   * nodes.
   */
  readonly servers: readonly string[]
  readonly options: ClusterOptions
}

/** Undefined: a file is wrong, and all problems have been shown. */
export function readCluster({
  path,
  servers,
  options,
}: ClusterInput): SimulatedCluster | undefined {
  const parsed = readSentinelFile({ path, overrides: [], elsewhere: true })
  reportProblems(parsed.ok ? parsed.warnings : parsed.problems)
  const settings = servers.map(readSettings).filter((each) => each !== undefined)
  if (!parsed.ok || settings.length < servers.length) return undefined
  const file = parsed.value
  if (file.core.groups.length === 0) {
    say(`vedette: ${path} monitors no group, so there is nothing to simulate`)
    say('  add a group: groups: { mymaster: { master: 10.0.0.1:6379, quorum: 2 } }')
    return undefined
  }
  return buildCluster({ file, learnt: learntBy(file, path), settings, options })
}

/**
 * The directives of a redis.conf that change how nodes fail over, what they promise and what they
 * keep. The others are left out.
 */
const RELEVANT: readonly string[] = [
  'min-replicas-to-write',
  'min-replicas-max-lag',
  'sync-replication',
  'sync-replication-timeout',
  'min-sync-replicas',
  'replica-priority',
  'repl-timeout',
  'repl-ping-replica-period',
  'repl-backlog-size',
  'repl-backlog-ttl',
  'repl-diskless-sync',
  'repl-diskless-sync-delay',
  'replica-serve-stale-data',
  'replica-read-only',
  'replica-empty-master-guard',
  'save',
  'appendonly',
  'appendfsync',
  'no-appendfsync-on-rewrite',
  'auto-aof-rewrite-percentage',
  'auto-aof-rewrite-min-size',
  'aof-load-truncated',
  'stop-writes-on-bgsave-error',
]

/** Undefined: the file has errors, and they have been shown. */
function readSettings(path: string): Readonly<Record<string, string>> | undefined {
  const settings = new Settings()
  // The folder may be one of another machine.
  const load = nodeDirectives(settings, new UserLines(), NO_OUTSIDE)
  const known = settings.match('*').map(([name]) => name)
  const { problems } = parseRedisConf(readTextFile(path, 'latin1'), path, [], load, known)
  reportProblems(problems)
  if (problems.some(isError)) return undefined
  const usual = new Map(new Settings().match('*'))
  const changed = settings.match('*').filter(([name, value]) => usual.get(name) !== value)
  return Object.fromEntries(changed.filter(([name]) => RELEVANT.includes(name)))
}

function isError({ severity }: Problem): boolean {
  return severity === 'error'
}

/** The state file goes before what a sentinel.conf remembers, as when a Sentinel starts. */
function learntBy(file: SentinelFile, path: string): readonly SavedGroup[] {
  const main = resolve(file.stateDir ?? dirname(path), stateFileName(file))
  for (const copy of [main, `${main}.copy`]) {
    if (!existsSync(copy)) continue
    const decoded = decodeState(readTextFile(copy, 'latin1'))
    if (decoded.ok) return decoded.value.groups
    say(`warning: ${copy}: ${decoded.reason}`)
  }
  return file.learnt?.groups ?? []
}
