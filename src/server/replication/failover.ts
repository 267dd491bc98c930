/**
 * FAILOVER: a master hands its role to one of its replicas without losing a write. Writes wait; when the
 * replica has everything, this node becomes its replica and asks it, in the words of PSYNC, to take over.
 * Until that is granted there is no master; if it is refused we take the role back.
 *
 * Redis waits until the replica's acknowledgement, which comes once a second, equals its own offset. Here
 * the replica is asked. Its answer to GETACK does not count the GETACK itself, and an older one may be on
 * its way, hence a PING goes first: who acknowledges that PING has read what came before.
 */
import { error, OK, type Reply } from '../../resp/reply.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../errors.ts'
import { type FailoverRequest, parseFailover } from './failover-request.ts'
import type { Address } from './following/link-phase.ts'
import type { History } from './history/history.ts'
import { GETACK, PING } from './history/propagation.ts'
import type { Stream } from './history/stream.ts'
import type { ReplicationHost } from './host.ts'
import { peerHost, type ReplicaPeer } from './serving/replica-peer.ts'
import type { Replicas } from './serving/replicas.ts'

/** The words of INFO's `master_failover_state`. */
export type FailoverState = 'no-failover' | 'waiting-for-sync' | 'failover-in-progress'

/** What only the rest of replication can do. */
export interface FailoverRole {
  isReplica(): boolean
  follow(address: Address): void
  promote(): void
}

export interface FailoverParts {
  readonly host: ReplicationHost
  readonly history: History
  readonly replicas: Replicas
  readonly stream: Stream
  readonly role: FailoverRole
}

interface Run {
  state: Exclude<FailoverState, 'no-failover'>
  /** Undefined: whichever replica has everything first. */
  target: Address | undefined
  readonly force: boolean
  /** Monotonic. Undefined: it may take as long as it takes. */
  readonly endMs: number | undefined
  /** What we asked all replicas last: the acknowledgement that answers it, and where the stream ended. */
  question: { readonly answer: number; readonly endOffset: number } | undefined
  /** How often the target was asked to take over: a lost connection makes us ask again. */
  requests: number
}

const IN_PROGRESS = error('ERR FAILOVER already in progress.')
const NOT_IN_PROGRESS = error('ERR No failover in progress.')
const ON_REPLICA = error('ERR FAILOVER is not valid when server is a replica.')
const NO_REPLICAS = error('ERR FAILOVER requires connected replicas.')
const FORCE_NEEDS_MORE = error(
  'ERR FAILOVER with force option requires both a timeout and target HOST and IP.',
)
const NOT_POSITIVE = error('ERR FAILOVER timeout must be greater than 0')
const UNKNOWN_TARGET = error('ERR FAILOVER target HOST and PORT is not a replica.')
const TARGET_NOT_ONLINE = error('ERR FAILOVER target replica is not online.')

export class Failover {
  readonly #parts: FailoverParts
  #run: Run | undefined
  /** Something has happened that may let it go on. */
  #mustLook = false

  constructor(parts: FailoverParts) {
    this.#parts = parts
  }

  get state(): FailoverState {
    return this.#run?.state ?? 'no-failover'
  }

  get isRunning(): boolean {
    return this.#run !== undefined
  }

  /** It has to end in time: what is in the stream only to show that we are alive would delay it. */
  get mayNotWait(): boolean {
    return this.#run?.endMs !== undefined
  }

  /** We are to ask the node we follow to take over. */
  get isHandingOver(): boolean {
    return this.#run?.state === 'failover-in-progress'
  }

  command(argv: readonly string[]): Reply {
    const request = parseFailover(argv)
    switch (request) {
      case 'syntax':
        return SYNTAX_ERROR
      case 'integer':
        return NOT_AN_INTEGER
      case 'timeout':
        return NOT_POSITIVE
      case 'abort':
        return this.#abortCommand()
      default:
        return this.#refusal(request) ?? this.#begin(request)
    }
  }

  /** A replica has acknowledged something, or one has come or gone. */
  replicasChanged(): void {
    this.#mustLook = this.#run?.state === 'waiting-for-sync'
  }

  wake(): void {
    const run = this.#run
    this.#mustLook = false
    if (run?.state !== 'waiting-for-sync') return
    if (run.endMs !== undefined && this.#parts.host.now.monoMs >= run.endMs) this.#onTimeout(run)
    else this.#look(run)
  }

  nextWakeUpMs(): number | undefined {
    if (this.#mustLook) return this.#parts.host.now.monoMs
    return this.#run?.state === 'waiting-for-sync' ? this.#run.endMs : undefined
  }

  /** PSYNC with FAILOVER is on its way to the target. */
  requested(): void {
    if (this.#run !== undefined) this.#run.requests++
  }

  /** The target goes on with us as its replica: it is the master now. */
  granted(): void {
    if (!this.isHandingOver) return
    this.#log('notice', 'it is done, the target is the master now')
    this.#clear()
    this.#parts.host.demoted(undefined)
  }

  /**
   * The target does not take over. True: the role is ours again. If the target is a master already and
   * may have heard an earlier request of ours whose answer was lost, that request was granted: two
   * masters must not come of it.
   */
  refused(reason: string): boolean {
    const run = this.#run
    if (run?.state !== 'failover-in-progress') return false
    if (run.requests > 1 && reason.includes("can't be sent to a master")) {
      this.granted()
      return false
    }
    this.#abort(`the target refused: ${reason}`)
    return true
  }

  #abortCommand(): Reply {
    if (this.#run === undefined) return NOT_IN_PROGRESS
    this.#abort('a client has ended it')
    return OK
  }

  #refusal(request: FailoverRequest): Reply | undefined {
    const { replicas, role } = this.#parts
    if (this.#run !== undefined) return IN_PROGRESS
    if (role.isReplica()) return ON_REPLICA
    if (replicas.count === 0) return NO_REPLICAS
    const { target, force, timeoutMs } = request
    if (force && (target === undefined || timeoutMs === undefined)) return FORCE_NEEDS_MORE
    if (target === undefined) return undefined
    const peer = this.#find(target)
    if (peer === undefined) return UNKNOWN_TARGET
    return peer.phase === 'online' ? undefined : TARGET_NOT_ONLINE
  }

  #begin({ target, force, timeoutMs }: FailoverRequest): Reply {
    const { host } = this.#parts
    const endMs = timeoutMs === undefined ? undefined : host.now.monoMs + timeoutMs
    const fresh = { question: undefined, requests: 0 }
    this.#run = { state: 'waiting-for-sync', target, force, endMs, ...fresh }
    this.#mustLook = true
    host.holdWrites()
    this.#log('notice', 'writes wait until the target has everything')
    return OK
  }

  #look(run: Run): void {
    const synced = [...this.#parts.replicas.all()].find((peer) => this.#isSynced(run, peer))
    if (synced === undefined) return this.#ask(run)
    run.target ??= { host: peerHost(synced), port: synced.listeningPort }
    this.#handOver(run)
  }

  #isSynced({ target, question }: Run, peer: ReplicaPeer): boolean {
    if (peer.phase !== 'online' || (target !== undefined && !isAt(peer, target))) return false
    const { offset } = this.#parts.history
    if (peer.ackOffset === offset) return true
    return question?.endOffset === offset && peer.ackOffset >= question.answer
  }

  /** Once for every end of the stream: nothing but WAIT makes it longer while writes wait. */
  #ask(run: Run): void {
    const { history, stream } = this.#parts
    if (run.question?.endOffset === history.offset) return
    stream.feedIfKept(PING)
    const answer = history.offset
    stream.feedIfKept(GETACK)
    run.question = { answer, endOffset: history.offset }
  }

  #onTimeout(run: Run): void {
    if (!run.force) return this.#abort('the target did not get everything in time')
    this.#log('warning', 'the time is up, it is forced to take over with what it has')
    this.#handOver(run)
  }

  #handOver(run: Run): void {
    if (run.target === undefined) return
    run.state = 'failover-in-progress'
    this.#log('notice', 'the target is asked to take over')
    this.#parts.role.follow(run.target)
  }

  #abort(reason: string): void {
    this.#log('warning', `given up: ${reason}`)
    const mustReturn = this.isHandingOver
    this.#clear()
    if (mustReturn) this.#parts.role.promote()
  }

  #clear(): void {
    this.#run = undefined
    this.#mustLook = false
    this.#parts.host.releaseWrites()
  }

  #find(target: Address): ReplicaPeer | undefined {
    return [...this.#parts.replicas.all()].find((peer) => isAt(peer, target))
  }

  #log(level: 'notice' | 'warning', text: string): void {
    const target = this.#run?.target
    const to = target === undefined ? '' : ` to ${target.host}:${target.port}`
    this.#parts.host.port.log(level, `failover${to}: ${text}`)
  }
}

function isAt(peer: ReplicaPeer, { host, port }: Address): boolean {
  return peerHost(peer).toLowerCase() === host.toLowerCase() && peer.listeningPort === port
}
