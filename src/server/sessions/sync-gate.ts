/**
 * No client of a strict group sees what could still be lost with this node: what sessions write
 * waits here until enough voters have acknowledged everything that was done when it was written. So
 * one wait serves all that write and read meanwhile, whatever command, script, message or blocked
 * client the bytes come from. What shows no data (PING, INFO, an error) does not wait, unless
 * output of the same connection waits before it.
 *
 * What has waited for too long is never sent: whether it will be kept is unknown, so its connection
 * is closed. From here bytes go on to the output gate, which waits for the disk.
 *
 * Outside of strict replication the gate costs one comparison.
 */
import type { ConnectionId, NodeLogLevel, NodePort } from '../port.ts'

interface Unconfirmed {
  readonly connection: ConnectionId
  /** Undefined: the connection is to be closed. */
  readonly bytes: string | undefined
  /** What the voters must have before it may leave; undefined: the turn has not ended. */
  offset: number | undefined
  /** Monotonic. */
  readonly sinceMs: number
}

/** How far this node is and how far enough voters are. */
export interface SyncProgress {
  /** Output that shows data has to wait. */
  readonly isGuarding: boolean
  readonly offset: number
  readonly confirmedOffset: number
  readonly nowMs: number
}

export class SyncGate {
  readonly #port: NodePort
  /** Undefined: replication is asynchronous. */
  progress: SyncProgress | undefined
  /** In the order of the offsets. */
  #held: Unconfirmed[] = []
  readonly #heldBytes = new Map<ConnectionId, number>()
  /** What a command does counts when it ends, so what is written before has no offset yet. */
  #isInTurn = false

  constructor(port: NodePort) {
    this.#port = port
  }

  /** Connections whose output waits. */
  get count(): number {
    return this.#heldBytes.size
  }

  /** Something was written in this turn before its end. */
  get hasUnplaced(): boolean {
    return this.#held.at(-1)?.offset === undefined && this.#held.length > 0
  }

  turnBegins(): void {
    this.#isInTurn = true
  }

  /** Everything that was done in the turn is in the history. */
  turnEnds(): void {
    this.#isInTurn = false
    if (!this.hasUnplaced) return
    const offset = this.progress?.offset ?? 0
    for (const one of this.#held) one.offset ??= offset
    this.release()
  }

  /** Monotonic. Since when the oldest output has waited; undefined: none waits. */
  get waitingSinceMs(): number | undefined {
    return this.#held[0]?.sinceMs
  }

  /** `showsData`: it tells of data, or of what was done to them. */
  write(connection: ConnectionId, bytes: string, showsData = true): void {
    if (this.progress === undefined || !this.#mustWait(connection, showsData)) {
      return this.#port.write(connection, bytes)
    }
    this.#hold(connection, bytes)
    this.#heldBytes.set(connection, (this.#heldBytes.get(connection) ?? 0) + bytes.length)
  }

  queuedBytes(connection: ConnectionId): number {
    return this.#port.queuedBytes(connection) + (this.#heldBytes.get(connection) ?? 0)
  }

  close(connection: ConnectionId, isAtOnce = false): void {
    if (isAtOnce) this.#drop(connection)
    if (isAtOnce || !this.#heldBytes.has(connection)) this.#port.close(connection, isAtOnce)
    else this.#hold(connection, undefined)
  }

  log(level: NodeLogLevel, text: string): void {
    this.#port.log(level, text)
  }

  /** More has been confirmed: what waited for it leaves. */
  release(): void {
    const { progress } = this
    if (progress === undefined || this.#held.length === 0) return
    const held = this.#held
    let count = 0
    for (const one of held) {
      if (one.offset === undefined || one.offset > progress.confirmedOffset) break
      count++
      this.#pass(one)
    }
    if (count > 0) this.#held = held.slice(count)
  }

  /** The connections whose output has waited since `limitMs` or longer. */
  overdue(limitMs: number): readonly ConnectionId[] {
    const late = this.#held.filter(({ sinceMs }) => sinceMs <= limitMs)
    return [...new Set(late.map(({ connection }) => connection))]
  }

  #mustWait(connection: ConnectionId, showsData: boolean): boolean {
    if (this.#heldBytes.has(connection)) return true
    const { progress } = this
    if (!showsData || progress?.isGuarding !== true) return false
    return this.#isInTurn || progress.offset > progress.confirmedOffset
  }

  #hold(connection: ConnectionId, bytes: string | undefined): void {
    const { offset = 0, nowMs = 0 } = this.progress ?? {}
    const place = this.#isInTurn ? undefined : offset
    this.#held.push({ connection, bytes, offset: place, sinceMs: nowMs })
  }

  #drop(connection: ConnectionId): void {
    this.#heldBytes.delete(connection)
    // Its last bytes may have left, and its end waits alone.
    this.#held = this.#held.filter((held) => held.connection !== connection)
  }

  #pass({ connection, bytes }: Unconfirmed): void {
    if (bytes === undefined) return this.#port.close(connection)
    const left = (this.#heldBytes.get(connection) ?? 0) - bytes.length
    if (left > 0) this.#heldBytes.set(connection, left)
    else this.#heldBytes.delete(connection)
    this.#port.write(connection, bytes)
  }
}
