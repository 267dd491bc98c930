/**
 * FAILOVER: a master hands its role to one of its replicas without losing a write. Writes wait;
 * when the replica has everything, this node becomes its replica and asks it, in the words of
 * PSYNC, to take over. Until that is granted there is no master; if it is refused we take the role
 * back.
 *
 * Redis waits until the replica's acknowledgement, which comes once a second, equals its own
 * offset. Here the replica is asked. Its answer to GETACK does not count the GETACK itself, and an
 * older answer may be on its way, so a PING goes first: a replica that acknowledges this PING has
 * read everything before it.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { type Address, hostAndPort } from '../../base/ip.ts'
import { error, OK, type Reply } from '../../resp/reply.ts'
import { earliest } from '../earliest.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../errors.ts'
import type { ClientSession } from '../sessions/session.ts'
import { GETACK, getAckBeforeTakeover, PING } from './history/stream.ts'
import { peerHost, type ReplicaPeer } from './serving/replica-peer.ts'
import { isReplica, type ReplicationState, type RoleChange } from './state.ts'

/** The words of INFO's `master_failover_state`. */
export type NodeFailoverState = 'no-failover' | 'waiting-for-sync' | 'failover-in-progress'

interface Run {
  state: Exclude<NodeFailoverState, 'no-failover'>
  /** Undefined: the first replica that has everything. */
  target: Address | undefined
  readonly force: boolean
  /** Monotonic. When the failover is out of time; undefined: it has no limit. */
  readonly endMs: number | undefined
  /**
   * The last question to all replicas: the offset that answers it, and where the stream ended after
   * it.
   */
  question: { readonly answer: number; readonly endOffset: number } | undefined
  /**
   * Clients that asked for it are sent to the target before the role goes there: `asked` whether it expects
   * them, `moving` until they have left, `over` also if there are none. See sessions/handoffs.ts.
   */
  farewell: 'asked' | 'moving' | 'over'
  /** How often the target was asked to take over; the node asks again after a lost connection. */
  requests: number
  /** [sync-replication] Called when the target has everything, or with the reason why not: others move the role. */
  readonly onPrepared: Prepared | undefined
}

type Prepared = (refusal?: Reply) => void

/** What clients are told of one without a time limit. */
const FAILING_OVER_MS = 10_000

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

export class NodeFailover {
  readonly #state: ReplicationState
  readonly #role: RoleChange
  #run: Run | undefined
  /** Something has happened that may let the failover go on. */
  #mustLook = false

  constructor(state: ReplicationState, role: RoleChange) {
    this.#state = state
    this.#role = role
  }

  get state(): NodeFailoverState {
    return this.#run?.state ?? 'no-failover'
  }

  get isRunning(): boolean {
    return this.#run !== undefined
  }

  /** The failover has a time limit, and the periodic PING in the stream would delay it. */
  get mayNotWait(): boolean {
    return this.#run?.endMs !== undefined
  }

  /** The node is to ask the master it now follows to take over. */
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

  /** [sync-replication] The first half of it, up to the moment when the target has everything. */
  prepare(target: Address, timeoutMs: number, onPrepared: Prepared): void {
    const request = { target, force: false, timeoutMs }
    const refusal = this.#refusal(request)
    if (refusal === undefined) this.#begin(request, onPrepared)
    else onPrepared(refusal)
  }

  endPreparation(reason: string): void {
    if (this.#run?.onPrepared !== undefined) this.#abort(reason)
  }

  /** A replica has acknowledged something, or one has come or gone. */
  replicasChanged(): void {
    this.#mustLook = this.#run?.state === 'waiting-for-sync'
  }

  wake(): void {
    const run = this.#run
    this.#mustLook = false
    if (run?.state !== 'waiting-for-sync') return
    if (run.endMs !== undefined && this.#state.node.now.monoMs >= run.endMs) this.#onTimeout(run)
    else this.#look(run)
  }

  nextWakeUpMs(): number | undefined {
    if (this.#mustLook) return this.#state.node.now.monoMs
    if (this.#run?.state !== 'waiting-for-sync') return undefined
    const isMoving = this.#run.farewell === 'moving'
    return earliest(this.#run.endMs, isMoving ? this.#state.node.handoffs.farewellEndMs : undefined)
  }

  /** PSYNC with FAILOVER is on its way to the target. */
  requested(): void {
    if (this.#run !== undefined) this.#run.requests++
  }

  /** The target has become the master and goes on with us as its replica. */
  granted(): void {
    if (!this.isHandingOver) return
    this.#log('notice', 'it is done, the target is the master now')
    this.#clear('gone')
    this.#state.node.disconnects.demoted(undefined)
  }

  /** Our master fails over to us: we become the master in its place. */
  takeOver(): void {
    this.#role.promote('its master hands over (FAILOVER)')
  }

  /**
   * The target refused to take over. Returns true if this node has its role back. If the target is
   * a master already and may have heard an earlier request whose answer was lost, it granted that
   * request: taking the role back would give the group two masters.
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
    const { replicas } = this.#state
    if (this.#run !== undefined) return IN_PROGRESS
    if (isReplica(this.#state)) return ON_REPLICA
    if (replicas.count === 0) return NO_REPLICAS
    const { target, force, timeoutMs } = request
    if (force && (target === undefined || timeoutMs === undefined)) return FORCE_NEEDS_MORE
    if (target === undefined) return undefined
    const peer = this.#find(target)
    if (peer === undefined) return UNKNOWN_TARGET
    return peer.phase === 'online' ? undefined : TARGET_NOT_ONLINE
  }

  #begin({ target, force, timeoutMs }: FailoverRequest, onPrepared?: Prepared): Reply {
    const { node } = this.#state
    const endMs = timeoutMs === undefined ? undefined : node.now.monoMs + timeoutMs
    const mayMove = target !== undefined && node.handoffs.hasTakers
    const farewell = mayMove ? ('asked' as const) : ('over' as const)
    const fresh = { question: undefined, requests: 0, farewell, onPrepared }
    this.#run = { state: 'waiting-for-sync', target, force, endMs, ...fresh }
    this.#mustLook = true
    node.handoffs.failingOver(timeoutMs ?? FAILING_OVER_MS)
    node.pause.start(Number.POSITIVE_INFINITY, 'writes', 'failover')
    this.#log('notice', 'writes wait until the target has everything')
    return OK
  }

  /** Its farewell is under way: what it sends is carried out, and waited for, before the role goes. */
  mayStillWrite({ handoff }: ClientSession): boolean {
    const run = this.#run
    if (handoff === undefined || run?.state !== 'waiting-for-sync') return false
    return run.farewell === 'asked' || (run.farewell === 'moving' && handoff.isMoving)
  }

  #sayFarewell(run: Run): void {
    const { node } = this.#state
    const heir = run.target && this.#find(run.target)
    if (run.farewell === 'asked' && run.target !== undefined && heir?.expectsRole === true) {
      run.farewell = 'moving'
      // The target has to get what they wrote last, too.
      const { endMs = Number.POSITIVE_INFINITY } = run
      node.handoffs.moveTo(run.target, node.now.monoMs, (endMs - node.now.monoMs) / 2)
    }
    // A target that is no node of ours has answered, and will not hold what comes too early.
    const hasAnswered = (heir?.ackOffset ?? 0) >= (run.question?.answer ?? Number.POSITIVE_INFINITY)
    if (run.farewell === 'asked' && (heir === undefined || hasAnswered)) run.farewell = 'over'
    if (run.farewell !== 'moving' || node.handoffs.isAwaiting(node.now.monoMs)) return
    run.farewell = 'over'
  }

  #look(run: Run): void {
    if (run.farewell !== 'over') this.#sayFarewell(run)
    if (run.farewell !== 'over') return this.#ask(run)
    const synced = [...this.#state.replicas.all()].find((peer) => this.#isSynced(run, peer))
    if (synced === undefined) return this.#ask(run)
    run.target ??= { host: peerHost(synced), port: synced.listeningPort }
    this.#handOver(run)
  }

  #isSynced({ target, question }: Run, peer: ReplicaPeer): boolean {
    if (peer.phase !== 'online' || (target !== undefined && !isAt(peer, target))) return false
    const { offset } = this.#state.history
    if (peer.ackOffset === offset) return true
    return question?.endOffset === offset && peer.ackOffset >= question.answer
  }

  /**
   * Asks once for every end of the stream: while writes wait, only WAIT makes the stream longer.
   */
  #ask(run: Run): void {
    const { history, stream } = this.#state
    if (run.question?.endOffset === history.offset) return
    // One question is enough for the farewell: what comes meanwhile is asked about when it is over.
    if (run.farewell !== 'over' && run.question !== undefined) return
    stream.feedIfKept(PING)
    const answer = history.offset
    const heir = run.farewell === 'asked' ? run.target : undefined
    stream.feedIfKept(heir === undefined ? GETACK : getAckBeforeTakeover(heir))
    run.question = { answer, endOffset: history.offset }
  }

  #onTimeout(run: Run): void {
    if (!run.force) return this.#abort('the target did not get everything in time')
    this.#log('warning', 'the time is up, it is forced to take over with what it has')
    this.#handOver(run)
  }

  #handOver(run: Run): void {
    if (run.target === undefined) return
    if (run.onPrepared !== undefined) return this.#endPrepared(run, run.onPrepared)
    run.state = 'failover-in-progress'
    this.#log('notice', 'the target is asked to take over')
    this.#role.follow(run.target, 'it hands over (FAILOVER)')
  }

  /** Clients go on waiting, for a fence. */
  #endPrepared(run: Run, onPrepared: Prepared): void {
    this.#log('notice', 'the target has everything')
    onPrepared()
    if (this.#run === run) this.#clear('open')
  }

  #abort(reason: string): void {
    this.#log('warning', `given up: ${reason}`)
    const mustReturn = this.isHandingOver
    const onPrepared = this.#run?.onPrepared
    this.#clear('stays')
    onPrepared?.(error(`ERR the handover is given up: ${reason}`))
    if (mustReturn) this.#role.promote(`FAILOVER is given up: ${reason}`)
  }

  #clear(role: 'gone' | 'stays' | 'open'): void {
    this.#run = undefined
    this.#mustLook = false
    this.#state.node.handoffs.farewellOver(role)
    for (const peer of this.#state.replicas.all()) peer.expectsRole = false
    this.#state.node.pause.end('failover')
  }

  #find(target: Address): ReplicaPeer | undefined {
    return [...this.#state.replicas.all()].find((peer) => isAt(peer, target))
  }

  #log(level: 'notice' | 'warning', text: string): void {
    const target = this.#run?.target
    const to = target === undefined ? '' : ` to ${hostAndPort(target.host, target.port)}`
    this.#state.node.port.log(level, `failover${to}: ${text}`)
  }
}

function isAt(peer: ReplicaPeer, { host, port }: Address): boolean {
  return peerHost(peer).toLowerCase() === host.toLowerCase() && peer.listeningPort === port
}

/** The arguments of FAILOVER, read in Redis' order: each is judged when it is met. */
interface FailoverRequest {
  /** Undefined: any replica. */
  readonly target: Address | undefined
  /** When the time is up it goes on with a target that lacks something. */
  readonly force: boolean
  readonly timeoutMs: number | undefined
}

/**
 * What is wrong with the arguments: the syntax, a word that is not a number, or a timeout that
 * is not positive.
 */
type FailoverFault = 'syntax' | 'integer' | 'timeout'

function parseFailover(argv: readonly string[]): FailoverRequest | FailoverFault | 'abort' {
  if (argv.length === 2 && argv[1]?.toLowerCase() === 'abort') return 'abort'
  let request: FailoverRequest = { target: undefined, force: false, timeoutMs: undefined }
  for (let at = 1; at < argv.length; ) {
    const read = readOption(request, argv, at)
    if (typeof read === 'string') return read
    request = read.request
    at += read.words
  }
  return request
}

type Read = { readonly request: FailoverRequest; readonly words: number } | FailoverFault

function readOption(request: FailoverRequest, argv: readonly string[], at: number): Read {
  const [word = '', first, second] = argv.slice(at)
  const option = word.toLowerCase()
  if (option === 'timeout' && first !== undefined && request.timeoutMs === undefined) {
    return readTimeout(request, first)
  }
  if (option === 'to' && first !== undefined && second !== undefined && !request.target) {
    const port = parseInt64(second)
    if (port === undefined) return 'integer'
    return { request: { ...request, target: { host: first, port: Number(port) } }, words: 3 }
  }
  return option === 'force' ? { request: { ...request, force: true }, words: 1 } : 'syntax'
}

function readTimeout(request: FailoverRequest, text: string): Read {
  const timeoutMs = parseInt64(text)
  if (timeoutMs === undefined) return 'integer'
  if (timeoutMs <= 0) return 'timeout'
  return { request: { ...request, timeoutMs: Number(timeoutMs) }, words: 2 }
}
