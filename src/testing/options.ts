/** The options of a cluster: what they are if a test says nothing, and what is wrong with them. */

import { createRng } from '../base/rng.ts'
import { DETECTIONS } from '../core/config.ts'
import { majority } from '../core/election/quorum.ts'
import {
  checkCount,
  checkDirectives,
  checkNames,
  checkSeed,
  checkText,
  checkTexts,
  checkWord,
  type DecidedMatters,
  givenOf,
} from './arguments.ts'
import type { ClusterCertificates, StartClusterOptions } from './start-options.ts'

/** The same with nothing left open. An empty password: none. */
export type FullOptions = {
  readonly [Option in Exclude<keyof StartClusterOptions, 'tls'>]-?: Exclude<
    StartClusterOptions[Option],
    undefined
  >
} & Pick<StartClusterOptions, 'tls'>

const OPTIONS = [
  ...['groups', 'sentinels', 'password', 'directives', 'users', 'tls', 'replicas', 'quorum'],
  ...['failoverTimeoutMs', 'detection', 'downAfterMs', 'clock', 'engine', 'seed'],
]

const LEAST_DOWN_AFTER_MS = 20
/** Enough for any test; more would only be slow. */
const MOST = 32

/** The run id of a Sentinel comes from the seed as well: the same cluster has the same Sentinels. */
export function runIdOf({ seed }: FullOptions, sentinel: string): string {
  return createRng(`${seed}/${sentinel}`).hex(40)
}

/** Throws a TypeError that names the option, what is wrong and what is right. */
export function fullOptions(options: StartClusterOptions): FullOptions {
  checkNames('startCluster', options, OPTIONS)
  const { sentinels = 3, groups = ['mymaster'], engine = 'tcp' } = options
  const usual: FullOptions = {
    ...{ groups, sentinels, password: '', directives: {} },
    ...{ users: [], tls: undefined },
    ...{ replicas: 2, quorum: majority(sentinels) },
    ...{ failoverTimeoutMs: 3_000, detection: 'evidence' },
    downAfterMs: engine === 'tcp' ? 250 : 1_000,
    clock: 'running',
    engine: 'tcp',
    seed: Math.random().toString(36).slice(2),
  }
  const full: FullOptions = { ...usual, ...givenOf(options) }
  count(full, 'replicas', 0, MOST)
  count(full, 'sentinels', 1, MOST)
  count(full, 'quorum', 1, sentinels)
  count(full, 'downAfterMs', LEAST_DOWN_AFTER_MS, Number.MAX_SAFE_INTEGER)
  count(full, 'failoverTimeoutMs', 1, Number.MAX_SAFE_INTEGER)
  checkWord('detection', full.detection, DETECTIONS)
  checkWord('clock', full.clock, ['running', 'manual'])
  checkWord('engine', full.engine, ['tcp', 'process-lite', 'redis'])
  if (full.engine !== 'tcp' && full.clock === 'manual') {
    throw new TypeError(
      `clock: 'manual' is for engine: 'tcp'; processes live by the machine's clock`,
    )
  }
  checkGroups(full.groups)
  checkText('password', full.password)
  checkSeed(full.seed)
  checkUsers(full.users)
  checkDirectives('a cluster', full.directives, decidedFor(full))
  checkNotStrict(full.directives)
  if (full.tls !== undefined) checkCertificates(full.tls)
  return full
}

/** What a cluster decides by itself: its members would not find, or not let in, each other. */
const DECIDED: Required<DecidedMatters> = {
  place: 'members listen on free ports of 127.0.0.1',
  master: 'the first node of a group is its master',
  password: 'the option password is for all members',
  users: 'the option users is for all nodes',
  process: 'a member has a folder of its own, and ends with the test',
  file: 'a node in this process has no file, and all commands under their own names',
}

/** A node that is a process of its own has a file. */
function decidedFor({ engine }: FullOptions): DecidedMatters {
  return engine === 'tcp' ? DECIDED : { ...DECIDED, file: undefined }
}

const CERTIFICATES = ['certFile', 'keyFile', 'caFile'] as const

function checkCertificates(tls: ClusterCertificates): void {
  checkNames('tls', tls, CERTIFICATES)
  for (const name of CERTIFICATES) checkText(`tls: ${name}, the path of a PEM file`, tls[name])
}

function count(
  full: FullOptions,
  name: 'replicas' | 'sentinels' | 'quorum' | 'downAfterMs' | 'failoverTimeoutMs',
  least: number,
  most: number,
): void {
  checkCount(name, full[name], least, most)
}

/** Nodes that wait for voters, which no Sentinel appoints, would never follow each other. */
function checkNotStrict(directives: Readonly<Record<string, string>>): void {
  const isStrict = Object.entries(directives).some(([name, value]) => {
    return name.toLowerCase() === 'sync-replication' && value !== 'no'
  })
  if (!isStrict) return
  throw new TypeError(
    'directives: sync-replication is for strict groups, of which the Sentinels of a cluster know nothing; see runScenario of vedette/scenario',
  )
}

function checkUsers(users: readonly string[]): void {
  checkTexts('users', users)
  if (users.some((line) => line.trim().split(/\s+/)[0] === 'default'))
    throw new TypeError(
      'users: members log in as default; give your users other names, and default a password by the option password',
    )
}

function checkGroups(groups: readonly string[]): void {
  checkTexts('groups', groups)
  if (groups.length === 0) throw new TypeError('groups: name at least one')
  for (const name of groups) {
    if (!/^[\w.-]+$/.test(name)) {
      throw new TypeError(`groups: letters, digits, '.', '-' and '_', not '${name}'`)
    }
  }
  if (new Set(groups).size < groups.length) throw new TypeError('groups: name each once')
}
