/**
 * REPLCONF rdb-filter-only: a payload without any key, for tools that want the functions only, or to see
 * that the connection works. It needs no snapshot.
 */
import type { Rng } from '../../../base/rng.ts'
import { crc64 } from '../../rdb/crc64.ts'
import { RDB_END, rdbFunction, rdbHeader } from '../../rdb/rdb-writer.ts'
import type { History } from '../history/history.ts'
import type { Stream } from '../history/stream.ts'
import type { ReplicationHost } from '../host.ts'
import { encodePayloadHeader, MARK_LENGTH } from '../payload-header.ts'
import type { ReplicaPeer } from './replica-peer.ts'
import type { Replicas } from './replicas.ts'

export interface FilteredParts {
  readonly host: ReplicationHost
  readonly history: History
  readonly replicas: Replicas
  readonly stream: Stream
}

/** Only to those who can read a marked payload: others are refused before. */
export function sendFiltered(
  { host, history, replicas, stream }: FilteredParts,
  rng: Rng,
  aux: readonly (readonly [string, string])[],
  peer: ReplicaPeer,
): void {
  const mark = rng.hex(MARK_LENGTH)
  const functions = peer.wants === 'functions' ? [...host.functions.all()].map(rdbFunction) : []
  const body = rdbHeader(aux) + functions.join('') + RDB_END
  const header = encodePayloadHeader({ kind: 'mark', mark })
  const line = peer.preSync ? '' : `+FULLRESYNC ${history.id} ${history.offset}\r\n`
  host.port.write(peer.connection.id, line + header + body + crc64(body) + mark)
  peer.heldFromOffset = history.offset
  // Should it stay, it does not know which database the stream has selected.
  stream.forgetDb()
  peer.phase = 'loading'
  if (peer.rdbOnly) replicas.drop(peer, 'it wanted the snapshot only')
}
