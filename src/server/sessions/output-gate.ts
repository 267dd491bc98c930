/**
 * No client hears of a write that could still be lost. Everything the node writes to its
 * connections goes through this gate, and the output of a turn leaves when the append-only file
 * says that the turn is kept: written to the file, or synced, as [appendfsync] promises. Until then
 * it waits in the order it was written, and the output of later turns waits behind it: their
 * commands may have read data that are not kept yet.
 *
 * While nothing has to be kept, the gate stands open and costs one comparison.
 */
import { oneLine } from '../../base/one-line.ts'
import type { FileAnswer, FileFailure, FileRequest, FileRequestId } from '../persistence/files.ts'
import type {
  ConnectionId,
  HeapMeter,
  LearntUsers,
  NodeLogLevel,
  NodePort,
  NodeProcessFacts,
  SaveResult,
} from '../port.ts'

interface Held {
  readonly turn: number
  readonly connection: ConnectionId
  /** Undefined: the connection is to be closed. */
  readonly bytes: string | undefined
}

const OPEN = Number.POSITIVE_INFINITY
const NEVER = Number.NEGATIVE_INFINITY

export class OutputGate implements NodePort {
  readonly #port: NodePort
  #turn = 0
  /** Output of turns up to this one may leave. */
  #reached = OPEN
  #isSealed = false
  /** In the order of the turns. */
  #held: Held[] = []
  readonly #heldBytes = new Map<ConnectionId, number>()

  constructor(port: NodePort) {
    this.#port = port
  }

  /** The number of the present turn. */
  get turn(): number {
    return this.#turn
  }

  /** Output of an earlier turn still waits until that turn is kept. */
  get isBehind(): boolean {
    const first = this.#held[0]
    return first !== undefined && first.turn < this.#turn
  }

  beginTurn(): void {
    this.#turn++
  }

  /** From now on the output of a turn, this one included, waits for `letThrough`. */
  hold(): void {
    this.#reached = Math.min(this.#reached, this.#turn - 1)
  }

  /** Turns up to this one are kept: their output leaves. */
  letThrough(turn: number): void {
    if (turn <= this.#reached || this.#isSealed) return
    this.#reached = turn
    if (this.#held.length > 0) this.#drain()
  }

  /** Nothing has to be kept any more: all output leaves. */
  open(): void {
    this.letThrough(OPEN)
  }

  /**
   * Drops the waiting output and lets nothing leave any more: it would tell of writes that are not
   * kept.
   */
  seal(): void {
    this.#isSealed = true
    this.#reached = NEVER
    this.#held = []
  }

  write(connection: ConnectionId, bytes: string): void {
    if (this.#turn <= this.#reached) return this.#port.write(connection, bytes)
    this.#hold(connection, bytes)
    this.#heldBytes.set(connection, (this.#heldBytes.get(connection) ?? 0) + bytes.length)
  }

  queuedBytes(connection: ConnectionId): number {
    return this.#port.queuedBytes(connection) + (this.#heldBytes.get(connection) ?? 0)
  }

  close(connection: ConnectionId, isAtOnce = false): void {
    if (isAtOnce) this.#drop(connection)
    if (isAtOnce || this.#turn <= this.#reached) this.#port.close(connection, isAtOnce)
    else this.#hold(connection, undefined)
  }

  get stopwatch(): (() => number) | undefined {
    return this.#port.stopwatch
  }

  get note(): NodePort['note'] {
    return this.#port.note
  }

  get heap(): HeapMeter | undefined {
    return this.#port.heap
  }

  connect(connection: ConnectionId, host: string, port: number): void {
    this.#port.connect(connection, host, port)
  }

  saveSettings(settings: ReadonlyMap<string, string>, users: LearntUsers | undefined): SaveResult {
    return this.#port.saveSettings(settings, users)
  }

  askFile(id: FileRequestId, request: FileRequest): FileAnswer | undefined {
    return this.#port.askFile(id, request)
  }

  appendNow(path: string, bytes: string): FileFailure | undefined {
    return this.#port.appendNow(path, bytes)
  }

  ready(): void {
    this.#port.ready()
  }

  processFacts(): NodeProcessFacts {
    return this.#port.processFacts()
  }

  log(level: NodeLogLevel, text: string): void {
    this.#port.log(level, oneLine(text))
  }

  exit(status: number, reason?: string): void {
    this.#port.exit(status, reason === undefined ? undefined : oneLine(reason))
  }

  #hold(connection: ConnectionId, bytes: string | undefined): void {
    if (!this.#isSealed) this.#held.push({ turn: this.#turn, connection, bytes })
  }

  #drop(connection: ConnectionId): void {
    if (!this.#heldBytes.delete(connection)) return
    this.#held = this.#held.filter((held) => held.connection !== connection)
  }

  #drain(): void {
    const held = this.#held
    let count = 0
    for (const { turn, connection, bytes } of held) {
      if (turn > this.#reached) break
      count++
      if (bytes === undefined) this.#port.close(connection)
      else this.#pass(connection, bytes)
    }
    this.#held = count === held.length ? [] : held.slice(count)
  }

  #pass(connection: ConnectionId, bytes: string): void {
    const left = (this.#heldBytes.get(connection) ?? 0) - bytes.length
    if (left > 0) this.#heldBytes.set(connection, left)
    else this.#heldBytes.delete(connection)
    this.#port.write(connection, bytes)
  }
}
