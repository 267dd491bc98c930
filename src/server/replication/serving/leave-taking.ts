/** What the end of the process has to do with replicas: see persistence/shutdown.ts. */
import type { History } from '../history/history.ts'
import { GETACK } from '../history/propagation.ts'
import type { Stream } from '../history/stream.ts'
import type { Replicas } from './replicas.ts'

export class LeaveTaking {
  readonly #history: History
  readonly #replicas: Replicas
  readonly #stream: Stream

  constructor(history: History, replicas: Replicas, stream: Stream) {
    this.#history = history
    this.#replicas = replicas
    this.#stream = stream
  }

  /** Whether every replica that is online has acknowledged the stream up to there. */
  haveAcknowledged(offset: number): boolean {
    return [...this.#replicas.all()].every(
      (peer) => peer.phase !== 'online' || peer.preSync || peer.ackOffset >= offset,
    )
  }

  /** Asks them to, if need be. Gives the offset that says that they have everything of now. */
  requestAcknowledgements(isReplica: boolean): number {
    const { offset } = this.#history
    // A replica passes on its master's stream and nothing else: its replicas acknowledge every second.
    if (!isReplica && !this.haveAcknowledged(offset)) this.#stream.feedIfKept(GETACK)
    return offset
  }

  /** Whoever is given a snapshot, or waits for one, will not get it. */
  endTransfers(): void {
    for (const peer of [...this.#replicas.all()]) {
      const isOnItsWay = peer.phase === 'waiting' || peer.phase === 'copying'
      if (isOnItsWay) this.#replicas.drop(peer, 'this node is shutting down')
    }
  }
}
