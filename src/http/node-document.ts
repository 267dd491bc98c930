/**
 * The document of GET /cluster on a data node: what the node knows of itself, its replicas or its master,
 * and its Sentinels. Durations and ages are milliseconds, and what is not known is null.
 */
import { infoFields } from '../base/info-fields.ts'
import type { NodeServices } from '../server/context.ts'

export interface NodeDocument {
  readonly program: 'vedette-server'
  readonly version: string
  readonly runId: string
  readonly port: number
  /** The wall clock, in ms since 1970. */
  readonly nowMs: number
  readonly uptimeMs: number
  readonly role: 'master' | 'replica'
  readonly isLoading: boolean
  readonly offset: number
  readonly replid: string
  readonly connectedClients: number
  /** Why the node refuses writes now, in the words of its error; null: it takes them, or is a replica. */
  readonly writesRefused: string | null
  /** Why a replica refuses all reads, in the words of its error; null: it answers them, or is a master. */
  readonly readsRefused: string | null
  /** The word of INFO's `master_failover_state`. */
  readonly failover: string
  /** Null on a master. */
  readonly master: NodeMaster | null
  readonly replicas: readonly AttachedReplica[]
  readonly sentinels: readonly NodeSentinel[]
}

export interface NodeMaster {
  readonly host: string
  readonly port: number
  readonly linkStatus: 'up' | 'down'
  /** Since the last byte came; null: the link is down. */
  readonly lastIoMs: number | null
  /** A full copy is being taken. */
  readonly isCopying: boolean
  /** Bytes of the stream that have come and are not applied yet. */
  readonly unappliedBytes: number
}

export interface AttachedReplica {
  readonly host: string
  readonly port: number
  readonly state: string
  readonly offset: number
  readonly lagBytes: number
  readonly lagMs: number
}

/** A Sentinel that has said hello within the last hour. */
export interface NodeSentinel {
  readonly runId: string
  readonly host: string
  readonly port: number
  readonly group: string
  readonly lastHelloMs: number
  readonly isPresent: boolean
  /** Its last hello named this node as the master. */
  readonly namesUs: boolean
  readonly configEpoch: number
}

/** `node.now` is the moment of the last turn: the caller makes one first. */
export function nodeDocument(node: NodeServices, version: string): NodeDocument {
  const { settings, now, startedAt, runId, sessions, replication, persistence } = node
  const lines = infoFields(replication.infoLines())
  const isReplica = replication.isReplica()
  const offset = number(lines.get(isReplica ? 'slave_repl_offset' : 'master_repl_offset'))
  return {
    program: 'vedette-server',
    version,
    runId,
    port: settings.int('port') || settings.int('tls-port'),
    nowMs: now.wallMs,
    uptimeMs: now.monoMs - startedAt.monoMs,
    role: isReplica ? 'replica' : 'master',
    isLoading: persistence.isLoading,
    offset,
    replid: lines.get('master_replid') ?? '',
    connectedClients: clientsOf(sessions),
    writesRefused: refusalOf(node),
    readsRefused: isReplica ? (replication.strict.refusal() ?? null) : null,
    failover: lines.get('master_failover_state') ?? 'no-failover',
    master: isReplica ? masterOf(lines) : null,
    replicas: replicasOf(lines, offset),
    sentinels: sentinelsOf(node),
  }
}

/** Too few replicas or voters would have a write, or the disk would not. */
function refusalOf({ replication, persistence }: NodeServices): string | null {
  if (replication.isReplica()) return null
  return replication.refusal() ?? replication.strict.refusal() ?? persistence.refusal() ?? null
}

function number(text: string | undefined): number {
  return Number(text ?? 0)
}

function clientsOf(sessions: NodeServices['sessions']): number {
  let count = 0
  for (const { kind } of sessions) if (kind !== 'replica') count++
  return count
}

type Lines = ReadonlyMap<string, string>

function masterOf(lines: Lines): NodeMaster {
  const silence = number(lines.get('master_last_io_seconds_ago'))
  return {
    host: lines.get('master_host') ?? '',
    port: number(lines.get('master_port')),
    linkStatus: lines.get('master_link_status') === 'up' ? 'up' : 'down',
    lastIoMs: silence < 0 ? null : silence * 1_000,
    isCopying: lines.get('master_sync_in_progress') === '1',
    unappliedBytes:
      number(lines.get('slave_read_repl_offset')) - number(lines.get('slave_repl_offset')),
  }
}

function replicasOf(lines: Lines, ownOffset: number): readonly AttachedReplica[] {
  return [...lines].flatMap(([name, value]) => {
    if (!/^slave\d+$/.test(name)) return []
    const fields = new Map(value.split(',').map((field) => field.split('=') as [string, string]))
    const offset = number(fields.get('offset'))
    return {
      host: fields.get('ip') ?? '',
      port: number(fields.get('port')),
      state: fields.get('state') ?? '',
      offset,
      lagBytes: Math.max(0, ownOffset - offset),
      lagMs: number(fields.get('lag')) * 1_000,
    }
  })
}

function sentinelsOf({ sentinels, now }: NodeServices): readonly NodeSentinel[] {
  return sentinels.present(now.monoMs).map((one) => ({
    runId: one.runId,
    host: one.host,
    port: one.port,
    group: one.group,
    lastHelloMs: now.monoMs - one.atMs,
    isPresent: one.isPresent,
    namesUs: one.namesUs,
    configEpoch: one.configEpoch,
  }))
}
