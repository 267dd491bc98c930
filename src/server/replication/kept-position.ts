/**
 * Where the data stand in the history when they are saved, and what that means when they are loaded: a
 * replica offers the position to its master, a master lets those go on who were there or before.
 */
import type { SavedPosition } from '../persistence/host.ts'
import type { MasterLink } from './following/master-link.ts'
import type { History } from './history/history.ts'
import type { Stream } from './history/stream.ts'
import type { ReplicationHost } from './host.ts'
import type { Replicas } from './serving/replicas.ts'

export interface KeptPositionParts {
  readonly host: ReplicationHost
  readonly history: History
  readonly replicas: Replicas
  readonly stream: Stream
  readonly link: MasterLink
  isReplica(): boolean
}

export class KeptPosition {
  readonly #parts: KeptPositionParts

  constructor(parts: KeptPositionParts) {
    this.#parts = parts
  }

  /** Undefined: nobody could continue from the data. */
  now(): SavedPosition | undefined {
    const { host, history, link, stream } = this.#parts
    const { id, offset, backlog } = history
    if (this.#parts.isReplica()) {
      return link.hasPosition ? { id, offset, streamDb: host.streamTarget.db } : undefined
    }
    // Without a backlog writes are not counted, so nobody has any of them at an offset of ours.
    return backlog === undefined ? undefined : { id, offset, streamDb: stream.db ?? 0 }
  }

  /** The data that were kept are here, as they were at that position. */
  loaded({ id, offset, streamDb }: SavedPosition): void {
    const { host, history, link, replicas } = this.#parts
    if (this.#parts.isReplica()) {
      history.resume(id, offset)
      link.resume()
      host.streamTarget.db = streamDb
      return
    }
    history.restart(id, offset)
    replicas.restartEmptyTimer()
  }
}
