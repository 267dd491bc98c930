/**
 * The turns of a node while a script waits for its next slice. Clients are let in, and heard once the
 * script has taken long [busy-reply-threshold]; what would change the data in the meantime waits: the
 * stream of our master, the answers to its files, the clock of everything that expires.
 */
import type { NodeServices } from '../context.ts'
import type { StopSignal } from '../port.ts'
import type { NodeInput } from '../sessions/debug-sleep.ts'

/** Between two slices others get their turn. */
const REST_MS = 1
const FIRST_THE_SCRIPT =
  'shutdown: the data are saved when the script that runs has ended. One more signal ends the node at once, without a save'

export class ScriptTurns {
  readonly #node: NodeServices
  #waiting: NodeInput[] = []
  #nextSliceMs = 0

  constructor(node: NodeServices) {
    this.#node = node
  }

  get isInterrupted(): boolean {
    return this.#node.scripting.isInterrupted
  }

  /** Monotonic. */
  get nextSliceMs(): number {
    return this.#nextSliceMs
  }

  turnEnds(): void {
    if (this.isInterrupted) this.#nextSliceMs = this.#node.now.monoMs + REST_MS
  }

  mustWait(input: NodeInput): boolean {
    if (!this.isInterrupted) return false
    const { replication } = this.#node
    switch (input.kind) {
      case 'connected':
        return true
      case 'received':
      case 'closed':
        return replication.owns(input.connection)
      case 'fileAnswered':
        return replication.ownsFile(input.id)
      case 'stopRequested':
        return this.#endsBefore(input.signal)
      case 'accepted':
      case 'halfClosed':
        return false
    }
  }

  add(input: NodeInput): void {
    this.#waiting.push(input)
  }

  /** What has waited, if the script is over. */
  takeWaiting(): readonly NodeInput[] {
    if (this.isInterrupted) return []
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  /**
   * The process is asked to end. A script that has written nothing is killed; what another one has written so far
   * has reached no replica and no client. If a save is due, the first signal waits for its end: other clients' writes
   * of the time since the last save are in memory alone, and half a script must not be saved with them.
   */
  #endsBefore(signal: StopSignal): boolean {
    const { scripting, persistence, port } = this.#node
    const isFirst = this.#waiting.every(({ kind }) => kind !== 'stopRequested')
    if (scripting.run?.hasWritten !== true) scripting.kill()
    else if (isFirst && persistence.shutdown.savesFor(signal)) port.log('warning', FIRST_THE_SCRIPT)
    else persistence.shutdown.begin({ mustSave: false, isNow: true, isForced: true })
    return true
  }
}
