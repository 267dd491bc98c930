/**
 * INFO, as far as a Sentinel reads it. Pure; unknown lines and invalid numbers are ignored. What is kept
 * is copied, so that a few names do not keep alive the megabytes they came in.
 */

import type { Address } from '../../base/ip.ts'
import { ownCopy } from '../../resp/input.ts'
import type { ReportedWrites } from '../detection/write-faults.ts'

/** More than a DNS name can have. */
const MAX_HOST_BYTES = 255

export interface InfoFacts {
  /** Empty if the text has none. */
  readonly runId: string
  /** Undefined if there is no role line. */
  readonly role: 'master' | 'slave' | undefined
  /** The replicas a master lists. */
  readonly replicas: readonly Address[]
  readonly masterHost: string
  readonly masterPort: number
  readonly masterLinkUp: boolean
  /** 0 if the link is up or INFO does not say. */
  readonly masterLinkDownMs: number
  readonly priority: number
  /** Bytes of the stream applied. */
  readonly offset: number
  /** Commands of its master's stream that a Vedette node could not carry out since its last full copy. */
  readonly unapplied: number
  readonly announced: boolean
  /** The history it writes or follows, and the one before it; empty if the text has none. */
  readonly replid: string
  readonly replid2: string
  readonly failover: FailoverReport
  readonly guard: GuardClaim | undefined
  readonly writes: ReportedWrites
  readonly sync: SyncReport | undefined
}

/** What a node of a strict group says of its term; others say nothing. */
export interface SyncReport {
  /** `master`, `replica`, `fenced` or `idle`. */
  readonly state: string
  readonly term: number
  readonly isVoter: boolean
  /** Those of its term, with blanks between them; empty: it has not been told. */
  readonly voters: string
  /** How many of them must have a write, the master included; 0: it has not been told, or does not say. */
  readonly writeQuorum: number
  /** A master: for how long voters have owed acknowledgements without any progress, and which have acknowledged. */
  readonly stalledMs: number
  /** What clients may have been told of; an offset, as those of the voters in `acknowledged`. */
  readonly confirmedOffset: number
  readonly acknowledged: string
}

/**
 * Whether a node is handing its role to a replica by itself [master_failover_state]. `unsupported`: it
 * does not say, because it is too old to know FAILOVER, or we have not heard from it.
 */
export type FailoverReport = 'unsupported' | 'none' | 'running'

/** A replica refuses to be emptied: what it holds, and what its master offered. Offsets in bytes. */
export interface GuardClaim {
  readonly ownOffset: number
  readonly masterOffset: number
}

const READ = [
  ...(['role', 'run_id', 'server_name', 'master_failover_state'] as const),
  ...(['master_host', 'master_port', 'master_link_status'] as const),
  ...(['master_link_down_since_seconds', 'slave_priority', 'slave_repl_offset'] as const),
  ...(['replica_announced', 'master_replid', 'master_replid2'] as const),
  'vedette_unapplied_commands',
  ...(['replica_empty_master_guard', 'replica_guard_own_offset'] as const),
  ...(['replica_guard_master_offset', 'aof_enabled', 'aof_last_write_status'] as const),
  ...(['used_memory', 'mem_not_counted_for_evict', 'maxmemory', 'maxmemory_policy'] as const),
  ...(['vedette_maxmemory_in_effect', 'errorstat_OOM'] as const),
  ...(['sync_state', 'sync_term', 'sync_voter', 'sync_stalled_ms', 'sync_acknowledged'] as const),
  ...(['sync_confirmed_offset', 'sync_voters', 'sync_write_quorum'] as const),
] as const

type Field = (typeof READ)[number]
type Fields = ReadonlyMap<Field, string>

const IS_READ: ReadonlySet<string> = new Set(READ)
const READ_LINES = new RegExp(`^(?:${READ.join('|')}|slave\\d+):[^\\r\\n]*`, 'gm')

export function parseInfo(text: string): InfoFacts {
  const fields = new Map<Field, string>()
  const replicas: Address[] = []
  for (const line of readLines(text)) {
    const [name, value] = splitAt(line, ':')
    if (isRead(name)) fields.set(name, value)
    else replicas.push(...replicaLine(value))
  }
  return { replicas, ...readFields(fields) }
}

/** The lines of INFO that a Sentinel does not pass over: a tenth of them. */
export function readLines(text: string): readonly string[] {
  if (latest?.text === text) return latest.lines
  const lines = text.match(READ_LINES) ?? []
  latest = text.length > MAX_KEPT_CHARACTERS ? undefined : { text, lines }
  return lines
}

/** A record of the Sentinel asks for the lines that the machine has just read. */
let latest: { readonly text: string; readonly lines: readonly string[] } | undefined
const MAX_KEPT_CHARACTERS = 64 * 1024

/** The same text with `other(at)` in place of the line that `readLines` has at `at`; undefined: as it is. */
export function withReadLines(text: string, other: (at: number) => string | undefined): string {
  let at = 0
  return text.replace(READ_LINES, (line) => other(at++) ?? line)
}

/**
 * The part of a line of INFO that decides something here; empty: a Sentinel passes over it. Of the replicas that a
 * master lists only their addresses count.
 */
export function readPart(line: string): string {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon)
  if (/^slave\d+$/.test(name)) return line.split(',', 3).join(',')
  return isRead(name) ? line : ''
}

function isRead(name: string): name is Field {
  return IS_READ.has(name)
}

function readFields(fields: Fields): Omit<InfoFacts, 'replicas'> {
  const role = fields.get('role')
  const runId = fields.get('run_id') ?? ''
  const downSeconds = number(fields.get('master_link_down_since_seconds'), 0)
  return {
    runId: runId.length >= 40 ? ownCopy(runId.slice(0, 40)) : '',
    role: role === 'master' || role === 'slave' ? role : undefined,
    masterHost: hostOf(fields.get('master_host')) ?? '?',
    masterPort: number(fields.get('master_port'), 0),
    masterLinkUp: fields.get('master_link_status')?.toLowerCase() === 'up',
    // -1 means "never connected", which is not the same as "down for long".
    masterLinkDownMs: Math.max(0, downSeconds) * 1_000,
    priority: number(fields.get('slave_priority'), 100),
    offset: number(fields.get('slave_repl_offset'), 0),
    unapplied: number(fields.get('vedette_unapplied_commands'), 0),
    announced: fields.get('replica_announced') !== '0',
    replid: ownCopy((fields.get('master_replid') ?? '').slice(0, 40)),
    replid2: ownCopy((fields.get('master_replid2') ?? '').slice(0, 40)),
    failover: failoverReport(fields.get('master_failover_state')),
    guard: guardClaim(fields),
    writes: reportedWrites(fields),
    sync: syncReport(fields),
  }
}

function syncReport(fields: Fields): SyncReport | undefined {
  const state = fields.get('sync_state')
  if (state === undefined) return undefined
  return {
    state: ownCopy(state.slice(0, 16)),
    term: number(fields.get('sync_term'), 0),
    isVoter: fields.get('sync_voter') === '1',
    voters: ownCopy((fields.get('sync_voters') ?? '').slice(0, 4_096)),
    writeQuorum: number(fields.get('sync_write_quorum'), 0),
    stalledMs: number(fields.get('sync_stalled_ms'), 0),
    confirmedOffset: number(fields.get('sync_confirmed_offset'), 0),
    acknowledged: ownCopy((fields.get('sync_acknowledged') ?? '').slice(0, 4_096)),
  }
}

/** Undefined if no host can have such a name. */
function hostOf(text: string | undefined): string | undefined {
  return text === undefined || text.length > MAX_HOST_BYTES ? undefined : ownCopy(text)
}

function guardClaim(fields: Fields): GuardClaim | undefined {
  if (fields.get('replica_empty_master_guard') !== '1') return undefined
  return {
    ownOffset: number(fields.get('replica_guard_own_offset'), 0),
    masterOffset: number(fields.get('replica_guard_master_offset'), 0),
  }
}

/**
 * The output buffers of replicas and the AOF take memory too, and Redis does not count it against the
 * limit. Our own data node says which limit is in effect; earlier ones stored it and did not act on it.
 */
function reportedWrites(fields: Fields): ReportedWrites {
  const uncounted = number(fields.get('mem_not_counted_for_evict'), 0)
  const isOurs = fields.get('server_name') === 'vedette'
  const limit = fields.get(isOurs ? 'vedette_maxmemory_in_effect' : 'maxmemory')
  const [, oomErrors] = splitAt(fields.get('errorstat_OOM') ?? '', '=')
  return {
    // The status outlives the AOF that it is about.
    aofFails: fields.get('aof_enabled') === '1' && fields.get('aof_last_write_status') === 'err',
    usedBytes: Math.max(0, number(fields.get('used_memory'), 0) - uncounted),
    maxBytes: number(limit, 0),
    evicts: evictionReach(fields.get('maxmemory_policy') ?? ''),
    oomErrors: number(oomErrors, 0),
  }
}

function evictionReach(policy: string): ReportedWrites['evicts'] {
  if (policy === 'noeviction') return 'nothing'
  return policy.startsWith('allkeys-') ? 'anything' : 'some'
}

function failoverReport(word: string | undefined): FailoverReport {
  if (word === undefined) return 'unsupported'
  return word === 'no-failover' ? 'none' : 'running'
}

/** `ip=1.2.3.4,port=6380,state=…`; also reads the form before Redis 2.8, `1.2.3.4,6380,online`. */
function replicaLine(value: string): Address[] {
  const tokens = value.split(',')
  const labelled = new Map(tokens.map((token) => splitAt(token, '=')))
  const host = hostOf(labelled.get('ip') ?? tokens[0]) ?? ''
  const port = number(labelled.get('port') ?? tokens[1], 0)
  return host !== '' && port > 0 && port <= 65_535 ? [{ host, port }] : []
}

function splitAt(token: string, separator: string): [string, string] {
  const at = token.indexOf(separator)
  return at < 0 ? [token, ''] : [token.slice(0, at), token.slice(at + 1)]
}

function number(text: string | undefined, otherwise: number): number {
  if (text === undefined || !/^-?\d{1,15}$/.test(text)) return otherwise
  return Number(text)
}

/** The wire has two words for a role. */
export function roleWord(role: 'master' | 'slave' | 'none'): 'master' | 'slave' {
  return role === 'master' ? 'master' : 'slave'
}
