/**
 * Clients that want to know where their writes have arrived. WAIT asks how many replicas have them;
 * WAITAOF asks on how many disks they are, ours (0 or 1) and those of replicas, which say with FACK
 * what they have on disk. Both wait for the offset after the client's last command; the replicas
 * are asked to acknowledge at once instead of within a second.
 */
import { array, error, integer, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import {
  MUST_BE_POSITIVE,
  NOT_AN_INTEGER,
  TIMEOUT_NEGATIVE,
  TIMEOUT_NOT_AN_INTEGER,
} from '../../errors.ts'
import type { ConnectionId } from '../../port.ts'
import type { ClientSession } from '../../sessions/session.ts'
import { GETACK } from '../history/stream.ts'
import { isReplica, type ReplicationState } from '../state.ts'

const WAIT_ON_REPLICA = error(
  'ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a ' +
    'replica is configured to be writable (which is not the default) writes to replicas are just ' +
    'local and are not propagated.',
)
const WAITAOF_ON_REPLICA = error(
  'ERR WAITAOF cannot be used with replica instances. Please also note that writes to replicas are ' +
    'just local and are not propagated.',
)
const BAD_NUMLOCAL = error('ERR value is out of range, value must between 0 and 1')
const AOF_OFF = error('ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.')

/** The append-only file, as far as replication needs it: what is on our disk. */
export interface KeptFile {
  readonly isOn: boolean
  /** What the node has done since it started, in bytes of the file. */
  readonly doneBytes: number
  /** How many of those bytes are on the disk. */
  readonly syncedBytes: number
  /** Up to this offset of the history everything is on the disk; undefined: not known. */
  readonly syncedOffset: number | undefined
  /**
   * `offset`: the applied offset; `synced`: called when more is on the disk, or the file is off.
   */
  follow(watcher: FileWatcher): void
}

export interface FileWatcher {
  offset(): number
  synced(): void
}

const NO_FILE: KeptFile = {
  isOn: false,
  doneBytes: 0,
  syncedBytes: 0,
  syncedOffset: undefined,
  follow: () => undefined,
}

interface Waiter {
  readonly session: ClientSession
  /** The offset in the history after the client's last command. */
  readonly offset: number
  /** How many replicas must have it. */
  readonly replicas: number
}

interface DiskWaiter extends Waiter {
  /** How many bytes our own file must have on disk. */
  readonly doneBytes: number
  /** 0 or 1: how many local disks must have them. */
  readonly local: number
}

export class Waits {
  readonly #state: ReplicationState
  readonly #waiters = new Map<ConnectionId, Waiter>()
  readonly #diskWaiters = new Map<ConnectionId, DiskWaiter>()
  #file: KeptFile = NO_FILE
  /** One GETACK serves all clients that begin to wait in the same turn. */
  #mustAsk = false

  constructor(state: ReplicationState) {
    this.#state = state
  }

  /** From now on WAITAOF asks about this file. */
  use(file: KeptFile): void {
    this.#file = file
  }

  commandExecuted({ lastDone }: ClientSession): void {
    lastDone.offset = this.#state.history.offset
    const file = this.#file
    if (file.isOn) lastDone.fileBytes = file.doneBytes
  }

  forget({ id }: ClientSession): void {
    this.#waiters.delete(id)
    this.#diskWaiters.delete(id)
  }

  /** Called when the role changes, after the waiting clients have been answered. */
  clear(): void {
    this.#waiters.clear()
    this.#diskWaiters.clear()
  }

  wait(session: ClientSession, argv: readonly string[]): Reply | undefined {
    if (isReplica(this.#state)) return WAIT_ON_REPLICA
    const replicas = parseInteger(argv[1])
    if (replicas === undefined) return NOT_AN_INTEGER
    const timeoutMs = parseTimeout(argv[2])
    if (typeof timeoutMs !== 'number') return timeoutMs
    const waiter = { session, offset: session.lastDone.offset, replicas }
    const count = this.#count(waiter)
    if (count >= replicas || !session.mayBlock) return integer(count)
    this.#waiters.set(session.id, waiter)
    this.#mustAsk = true
    this.#block(session, timeoutMs, () => {
      this.#waiters.delete(session.id)
      return integer(this.#count(waiter))
    })
    return undefined
  }

  waitaof(session: ClientSession, argv: readonly string[]): Reply | undefined {
    const local = parseInteger(argv[1])
    if (local !== 0 && local !== 1) return BAD_NUMLOCAL
    const replicas = parseInteger(argv[2])
    if (replicas === undefined || replicas < 0) return MUST_BE_POSITIVE
    const timeoutMs = parseTimeout(argv[3])
    if (typeof timeoutMs !== 'number') return timeoutMs
    if (isReplica(this.#state)) return WAITAOF_ON_REPLICA
    if (local === 1 && !this.#file.isOn) return AOF_OFF
    const { offset, fileBytes: doneBytes } = session.lastDone
    const waiter = { session, offset, replicas, doneBytes, local }
    if (this.#isOnDisk(waiter) || !session.mayBlock) return this.#diskCounts(waiter)
    this.#diskWaiters.set(session.id, waiter)
    if (replicas > 0) this.#mustAsk = true
    this.#block(session, timeoutMs, () => {
      this.#diskWaiters.delete(session.id)
      return this.#diskCounts(waiter)
    })
    return undefined
  }

  /** A replica has acknowledged something. */
  acknowledged(): void {
    this.synced()
    for (const [id, waiter] of this.#waiters) {
      const count = this.#count(waiter)
      if (count < waiter.replicas) continue
      this.#waiters.delete(id)
      this.#state.node.blocking.unblock(waiter.session, integer(count))
    }
  }

  /** More is on some disk, or the file was switched off. */
  synced(): void {
    for (const [id, waiter] of this.#diskWaiters) {
      const isLost = waiter.local === 1 && !this.#file.isOn
      if (!isLost && !this.#isOnDisk(waiter)) continue
      this.#diskWaiters.delete(id)
      const reply = isLost ? AOF_OFF : this.#diskCounts(waiter)
      this.#state.node.blocking.unblock(waiter.session, reply)
    }
  }

  wake(): void {
    if (!this.#mayAsk()) return
    this.#mustAsk = false
    const areWaiting = this.#waiters.size + this.#diskWaiters.size > 0
    if (areWaiting) this.#state.stream.feedIfKept(GETACK)
  }

  nextWakeUpMs(): number | undefined {
    return this.#mayAsk() ? this.#state.node.now.monoMs : undefined
  }

  /** A pause of writes lets replicas reach the end of the stream: WAIT must not move it. */
  #mayAsk(): boolean {
    return this.#mustAsk && this.#state.node.pause.scope === undefined
  }

  #count({ offset }: Waiter): number {
    return this.#state.replicas.countAcknowledged(offset)
  }

  #isOnDisk(waiter: DiskWaiter): boolean {
    const [local, replicas] = this.#countDisks(waiter)
    return local >= waiter.local && replicas >= waiter.replicas
  }

  #diskCounts(waiter: DiskWaiter): Reply {
    return array(this.#countDisks(waiter).map(integer))
  }

  #countDisks({ offset, doneBytes }: DiskWaiter): [local: number, replicas: number] {
    const file = this.#file
    const isLocal = file.isOn && file.syncedBytes >= doneBytes
    return [isLocal ? 1 : 0, this.#state.replicas.countOnDisk(offset)]
  }

  #block(session: ClientSession, timeoutMs: number, onTimeout: () => Reply): void {
    const { blocking, now } = this.#state.node
    const deadlineMs = timeoutMs === 0 ? undefined : now.monoMs + timeoutMs
    blocking.block(session, { deadlineMs, onTimeout, wait: undefined })
  }
}

/** In milliseconds; 0 waits for ever. Otherwise the error that answers the command. */
function parseTimeout(text = ''): number | Reply {
  const timeoutMs = parseInteger(text)
  if (timeoutMs === undefined) return TIMEOUT_NOT_AN_INTEGER
  return timeoutMs < 0 ? TIMEOUT_NEGATIVE : timeoutMs
}
