/**
 * WAITAOF: a client that wants to know on how many disks its writes are, ours (0 or 1) and those of
 * replicas. As WAIT, it waits for what there was after the client's last command. The replicas are asked
 * to acknowledge; what they have on disk they say with FACK.
 */
import { parseInt64 } from '../../../base/decimal.ts'
import { array, error, integer, type Reply } from '../../../resp/reply.ts'
import { MUST_BE_POSITIVE, TIMEOUT_NEGATIVE, TIMEOUT_NOT_AN_INTEGER } from '../../errors.ts'
import type { ConnectionId } from '../../port.ts'
import type { Session } from '../../sessions/session.ts'
import type { ReplicationHost } from '../host.ts'
import type { KeptFile } from '../kept-file.ts'
import type { Replicas } from './replicas.ts'

const BAD_NUMLOCAL = error('ERR value is out of range, value must between 0 and 1')
const ON_REPLICA = error(
  'ERR WAITAOF cannot be used with replica instances. Please also note that writes to replicas are ' +
    'just local and are not propagated.',
)
const AOF_OFF = error('ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.')

const NO_FILE: KeptFile = {
  isOn: false,
  doneBytes: 0,
  syncedBytes: 0,
  syncedOffset: undefined,
  follow: () => undefined,
}

/** What a client has done. */
interface Place {
  readonly offset: number
  readonly doneBytes: number
}

interface Waiter {
  readonly session: Session
  readonly place: Place
  /** 0 or 1. */
  readonly local: number
  readonly replicas: number
}

export interface AofWaitsParts {
  readonly host: ReplicationHost
  readonly replicas: Replicas
  /** Of the history, after the client's last command. */
  offsetOf(session: Session): number
  askReplicas(): void
}

export class AofWaits {
  readonly #parts: AofWaitsParts
  /** `doneBytes` after the last command of each client, while the file is on. */
  readonly #done = new Map<ConnectionId, number>()
  readonly #waiters = new Map<ConnectionId, Waiter>()
  #file: KeptFile = NO_FILE

  constructor(parts: AofWaitsParts) {
    this.#parts = parts
  }

  get areWaiting(): boolean {
    return this.#waiters.size > 0
  }

  /** From now on this is asked. */
  use(file: KeptFile): void {
    this.#file = file
  }

  commandExecuted(session: Session): void {
    const file = this.#file
    if (file.isOn) this.#done.set(session.id, file.doneBytes)
  }

  forget(session: Session): void {
    this.#done.delete(session.id)
    this.#waiters.delete(session.id)
  }

  /** The role changes, and whoever waited has been answered. */
  clear(): void {
    this.#waiters.clear()
  }

  wait(session: Session, argv: readonly string[], isReplica: boolean): Reply | undefined {
    const [, localText = '', replicasText = '', timeoutText = ''] = argv
    const local = parseInt64(localText)
    if (local !== 0 && local !== 1) return BAD_NUMLOCAL
    const replicas = parseInt64(replicasText)
    if (typeof replicas !== 'number' || replicas < 0) return MUST_BE_POSITIVE
    const timeoutMs = parseInt64(timeoutText)
    if (typeof timeoutMs !== 'number') return TIMEOUT_NOT_AN_INTEGER
    if (timeoutMs < 0) return TIMEOUT_NEGATIVE
    if (isReplica) return ON_REPLICA
    if (local === 1 && !this.#file.isOn) return AOF_OFF
    const waiter = { session, place: this.#placeOf(session), local, replicas }
    if (this.#isServed(waiter) || !session.mayBlock) return this.#counts(waiter)
    this.#block(waiter, timeoutMs)
    return undefined
  }

  /** Something more is on some disk, or the file was switched off. */
  synced(): void {
    for (const [id, waiter] of this.#waiters) {
      const isLost = waiter.local === 1 && !this.#file.isOn
      if (!isLost && !this.#isServed(waiter)) continue
      this.#waiters.delete(id)
      this.#parts.host.unblock(waiter.session, isLost ? AOF_OFF : this.#counts(waiter))
    }
  }

  #placeOf(session: Session): Place {
    const doneBytes = this.#done.get(session.id) ?? 0
    return { offset: this.#parts.offsetOf(session), doneBytes }
  }

  #isServed(waiter: Waiter): boolean {
    const [local, replicas] = this.#countBoth(waiter)
    return local >= waiter.local && replicas >= waiter.replicas
  }

  #counts(waiter: Waiter): Reply {
    return array(this.#countBoth(waiter).map(integer))
  }

  #countBoth({ place }: Waiter): [local: number, replicas: number] {
    const file = this.#file
    const isLocal = file.isOn && file.syncedBytes >= place.doneBytes
    return [isLocal ? 1 : 0, this.#parts.replicas.countOnDisk(place.offset)]
  }

  #block(waiter: Waiter, timeoutMs: number): void {
    const { host, askReplicas } = this.#parts
    const { session } = waiter
    this.#waiters.set(session.id, waiter)
    if (waiter.replicas > 0) askReplicas()
    const deadlineMs = timeoutMs === 0 ? undefined : host.now.monoMs + timeoutMs
    host.block(session, deadlineMs, () => {
      this.#waiters.delete(session.id)
      return this.#counts(waiter)
    })
  }
}
