/**
 * DEBUG SLEEP: the node stands still, as a server that hangs does. Inputs that come in meanwhile
 * wait in order, replies included, and are dealt with when the time is over. The process itself
 * goes on, so a simulated node can sleep as well.
 */
import type { FileAnswer, FileRequestId } from '../persistence/files.ts'
import type { ConnectionId, Endpoints, StopSignal } from '../port.ts'

/** Anything that happens to a node except that time passes, see `NodeInputs`. */
export type NodeInput =
  | { readonly kind: 'accepted'; readonly connection: ConnectionId; readonly ends: Endpoints }
  | { readonly kind: 'connected'; readonly connection: ConnectionId; readonly ends: Endpoints }
  | { readonly kind: 'received'; readonly connection: ConnectionId; readonly bytes: string }
  | { readonly kind: 'halfClosed'; readonly connection: ConnectionId }
  | { readonly kind: 'closed'; readonly connection: ConnectionId; readonly reason: string }
  | { readonly kind: 'stopRequested'; readonly signal: StopSignal }
  | { readonly kind: 'fileAnswered'; readonly id: FileRequestId; readonly answer: FileAnswer }

export class DebugSleep {
  #untilMs: number | undefined
  #inputs: NodeInput[] = []
  /** Index of the oldest input that waits. */
  #at = 0

  /** Monotonic; undefined: the node is awake. */
  get untilMs(): number | undefined {
    return this.#untilMs
  }

  get isActive(): boolean {
    return this.#untilMs !== undefined
  }

  start(untilMs: number): void {
    this.#untilMs = Math.max(untilMs, this.#untilMs ?? untilMs)
  }

  /** Ends the stall if it is over. */
  endIfOver(nowMs: number): void {
    if (this.#untilMs !== undefined && nowMs >= this.#untilMs) this.#untilMs = undefined
  }

  add(input: NodeInput): void {
    this.#inputs.push(input)
  }

  /** The oldest input that waits. */
  next(): NodeInput | undefined {
    const input = this.#inputs[this.#at++]
    if (input === undefined) {
      this.#inputs = []
      this.#at = 0
    }
    return input
  }
}
