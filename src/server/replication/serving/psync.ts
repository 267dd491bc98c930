/** What a PSYNC request asks, and what a node in a given position answers to it. */
import { parseInt64 } from '../../../base/decimal.ts'
import type { History } from '../history/history.ts'

export interface PsyncRequest {
  readonly id: string
  /** The next byte wanted; undefined: that is no integer. */
  readonly offset: number | undefined
  /** The requester's own failover: we are to become the master first. */
  readonly failover: boolean
}

/** `PSYNC ? -1` asks for everything. */
export function parsePsync(argv: readonly string[]): PsyncRequest {
  const offset = parseInt64(argv[2] ?? '')
  return {
    id: argv[1] ?? '?',
    offset: offset === undefined ? undefined : Number(offset),
    failover: argv[3]?.toLowerCase() === 'failover',
  }
}

/** Why a node that is a replica cannot promote itself for the requester; undefined: it can. */
export function refuseFailover(
  isReplica: boolean,
  history: History,
  request: PsyncRequest,
): string | undefined {
  if (!isReplica) return "ERR PSYNC FAILOVER can't be sent to a master."
  if (request.id.toLowerCase() === history.id) return undefined
  return 'ERR PSYNC FAILOVER replid must match my replid.'
}
