/**
 * How a connection becomes a replica of this node: with REPLCONF the replica introduces itself,
 * with PSYNC or SYNC it asks to be brought up to date and gets either what it missed or everything.
 */
import { parseInt64 } from '../../../base/decimal.ts'
import { splitArgs } from '../../../base/split-args.ts'
import { error, OK, type Reply } from '../../../resp/reply.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import type { ClientSession } from '../../sessions/session.ts'
import type { NodeFailover } from '../failover.ts'
import type { MasterLink } from '../following/master-link.ts'
import type { History } from '../history/history.ts'
import { TAKEOVER_WORD } from '../history/stream.ts'
import { isReplica, type ReplicationState } from '../state.ts'
import type { FullSync } from './full-sync.ts'
import { newReplicaPeer, peerAddress, peerHost, type ReplicaPeer } from './replica-peer.ts'
import type { Replicas } from './replicas.ts'
import type { Waits } from './waits.ts'

const NO_MASTER_LINK = error("NOMASTERLINK Can't SYNC while not connected with my master")
const FAILING_OVER = error("NOMASTERLINK Can't SYNC while failing over")
const PENDING_OUTPUT = error('ERR SYNC and PSYNC are invalid with pending output')
const FILTER_NEEDS_EOF = error('ERR Filtered replica requires EOF capability')
const MISSING_FILTER = error('ERR Missing rdb-filter-only values')
const BAD_FLAG = error('ERR value is out of range, value must between 0 and 1')
const MAX_ADDRESS_BYTES = 255
/** Only Valkey says its version. Since this one it has its own form of RDB. */
const VALKEY_OF_ITS_OWN = 9

export class Attachment {
  readonly #state: ReplicationState
  readonly #history: History
  readonly #replicas: Replicas
  readonly #fullSync: FullSync
  readonly #waits: Waits
  readonly #failover: NodeFailover
  readonly #link: MasterLink

  constructor(
    state: ReplicationState,
    fullSync: FullSync,
    waits: Waits,
    failover: NodeFailover,
    link: MasterLink,
  ) {
    this.#state = state
    this.#history = state.history
    this.#replicas = state.replicas
    this.#fullSync = fullSync
    this.#waits = waits
    this.#failover = failover
    this.#link = link
  }

  psync(session: ClientSession, argv: readonly string[]): Reply | undefined {
    if (session.kind === 'replica' || session.isMonitor) return undefined
    const request = parsePsync(argv)
    const refusal = this.#refuse(request) ?? refuseConnection(session)
    if (refusal !== undefined) return refusal
    const { strict } = this.#state
    if (session.replica !== undefined && !strict.quorum.isKnownTo(session.replica)) {
      return NO_MASTER_LINK
    }
    const { id, offset } = request
    if (offset === undefined) return NOT_AN_INTEGER
    const peer = this.#attach(session)
    if (this.#history.canContinue(id, offset)) this.#continue(peer, offset)
    else this.#startOver(peer, !id.startsWith('?'))
    return undefined
  }

  /** The request of replicas older than PSYNC, and of backup tools. */
  sync(session: ClientSession): Reply | undefined {
    if (session.kind === 'replica' || session.isMonitor) return undefined
    const refusal = this.#refuseAll() ?? refuseConnection(session)
    if (refusal !== undefined) return refusal
    const peer = this.#attach(session)
    peer.preSync = true
    this.#startOver(peer, false)
    return undefined
  }

  replconf(session: ClientSession, argv: readonly string[]): Reply | undefined {
    if (argv.length % 2 === 0) return SYNTAX_ERROR
    session.replica ??= newReplicaPeer(session)
    for (let at = 1; at < argv.length; at += 2) {
      const option = (argv[at] as string).toLowerCase()
      if (option === 'ack') return this.#acknowledge(session.replica, argv.slice(at + 1))
      if (option === 'getack') {
        // Tells our own master, if there is one, our offset.
        this.#link.acknowledge()
        return undefined
      }
      if (option === 'sync-term') {
        return this.#state.strict.meetReplica(session.replica, argv[at + 1] as string)
      }
      const fault = configurePeer(session.replica, argv[at] as string, argv[at + 1] as string)
      if (fault !== undefined) return fault
    }
    return OK
  }

  #refuse(request: PsyncRequest): Reply | undefined {
    if (request.failover) {
      const refusal = refuseTakeOver(this.#state, request)
      if (refusal !== undefined) return error(refusal)
      this.#failover.takeOver()
    }
    return this.#refuseAll()
  }

  #refuseAll(): Reply | undefined {
    // Which node will be the master is open.
    if (this.#failover.isRunning) return FAILING_OVER
    return isReplica(this.#state) && !this.#link.isUp ? NO_MASTER_LINK : undefined
  }

  #attach(session: ClientSession): ReplicaPeer {
    const peer = session.replica ?? newReplicaPeer(session)
    session.replica = peer
    session.kind = 'replica'
    // The replica would take a reply to whatever it still sends for a command of the stream.
    session.replyMode = 'off'
    this.#replicas.attach(peer)
    return peer
  }

  #continue(peer: ReplicaPeer, offset: number): void {
    this.#state.node.stats.partialSyncs++
    this.#log(peer, `continues from ${offset}`)
    const id = peer.canPsync2 ? ` ${this.#history.id}` : ''
    this.#replicas.send(peer, `+CONTINUE${id}\r\n`)
    this.#replicas.hasReached(peer, offset - 1)
    this.#replicas.bringOnline(peer, offset)
  }

  #startOver(peer: ReplicaPeer, askedToContinue: boolean): void {
    const { stats } = this.#state.node
    stats.fullSyncs++
    if (askedToContinue) stats.refusedPartialSyncs++
    this.#log(peer, 'needs a full copy')
    this.#state.node.journal.note({ kind: 'copyAsked', by: peerAddress(peer) })
    if (this.#history.backlog === undefined) {
      // Earlier writes were not counted, so no position among them means anything.
      this.#history.begin()
      this.#history.createBacklog()
    }
    this.#fullSync.request(peer)
  }

  #log(peer: ReplicaPeer, text: string): void {
    this.#state.node.port.log('notice', `replica ${peerHost(peer)}:${peer.listeningPort} ${text}`)
  }

  /** `ACK <applied>`, since Redis 7.2 perhaps with `FACK <on disk>`. */
  #acknowledge(peer: ReplicaPeer, words: readonly string[]): undefined {
    const [text = '', fack = '', synced = ''] = words
    const offset = parseInt64(text)
    if (typeof offset !== 'number' || peer.phase === 'announced') return
    peer.ackOffset = Math.max(peer.ackOffset, offset)
    const onDisk = fack.toLowerCase() === 'fack' ? parseInt64(synced) : undefined
    if (typeof onDisk === 'number') peer.fsyncedOffset = Math.max(peer.fsyncedOffset, onDisk)
    peer.expectsRole = words.at(-2) === TAKEOVER_WORD
    peer.ackAtMs = this.#state.node.now.monoMs
    this.#replicas.hasReached(peer, peer.ackOffset)
    if (peer.phase === 'loading') this.#replicas.bringOnline(peer, peer.heldFromOffset + 1)
    this.#state.strict.quorum.acknowledged()
    this.#waits.acknowledged()
    this.#failover.replicasChanged()
  }
}

/** Why this connection cannot become a replica's; undefined: it can. */
function refuseConnection(session: ClientSession): Reply | undefined {
  // From here on replication writes to the connection itself: gathered replies would get in
  // between.
  if (session.pendingOutputBytes > 0) return PENDING_OUTPUT
  const { replica } = session
  const isFiltered = replica !== undefined && replica.wants !== 'all'
  return isFiltered && !replica.canEof ? FILTER_NEEDS_EOF : undefined
}

/** Undefined: the option was understood. */
function configurePeer(peer: ReplicaPeer, option: string, value: string): Reply | undefined {
  switch (option.toLowerCase()) {
    case 'listening-port':
      return setPort(peer, value)
    case 'ip-address':
      return setAddress(peer, value)
    case 'capa':
      peer.canEof ||= value.toLowerCase() === 'eof'
      peer.canPsync2 ||= value.toLowerCase() === 'psync2'
      return undefined
    case 'version':
      peer.readsValkey = Number.parseInt(value, 10) >= VALKEY_OF_ITS_OWN
      return undefined
    case 'rdb-only':
      return setRdbOnly(peer, value)
    case 'rdb-filter-only':
      return setFilter(peer, value)
    default:
      return error(`ERR Unrecognized REPLCONF option: ${option}`)
  }
}

function setAddress(peer: ReplicaPeer, value: string): Reply | undefined {
  if (value.length > MAX_ADDRESS_BYTES) {
    const reason = `REPLCONF ip-address provided by replica instance is too long: ${value.length} bytes`
    return error(`ERR ${reason}`)
  }
  peer.announcedHost = value
  return undefined
}

function setRdbOnly(peer: ReplicaPeer, value: string): Reply | undefined {
  const flag = parseInt64(value)
  if (flag === undefined) return NOT_AN_INTEGER
  if (flag !== 0 && flag !== 1) return BAD_FLAG
  peer.rdbOnly = flag === 1
  return undefined
}

/** The list of what the replica wants in its payload; only functions can be chosen. */
function setFilter(peer: ReplicaPeer, value: string): Reply | undefined {
  const items = splitArgs(value)
  if (items === undefined) return MISSING_FILTER
  const unknown = items.find((item) => item.toLowerCase() !== 'functions')
  if (unknown !== undefined) {
    return error(`ERR Unsupported rdb-filter-only option: ${unknown}`)
  }
  peer.wants = items.length > 0 ? 'functions' : 'nothing'
  return undefined
}

function setPort(peer: ReplicaPeer, value: string): Reply | undefined {
  const port = parseInt64(value)
  if (typeof port !== 'number') return NOT_AN_INTEGER
  peer.listeningPort = port
  return undefined
}

/** A PSYNC request; this node answers it by its own position. */
interface PsyncRequest {
  readonly id: string
  /** The next byte wanted; undefined: the argument is no integer. */
  readonly offset: number | undefined
  /** The requester's own failover: this node is to become the master first. */
  readonly failover: boolean
}

/** `PSYNC ? -1` asks for everything. */
function parsePsync(argv: readonly string[]): PsyncRequest {
  const offset = parseInt64(argv[2] ?? '')
  return {
    id: argv[1] ?? '?',
    offset: offset === undefined ? undefined : Number(offset),
    failover: argv[3]?.toLowerCase() === 'failover',
  }
}

/** Why a node that is a replica cannot promote itself for the requester; undefined: it can. */
function refuseTakeOver(state: ReplicationState, request: PsyncRequest): string | undefined {
  if (!isReplica(state)) return "ERR PSYNC FAILOVER can't be sent to a master."
  if (request.id.toLowerCase() === state.history.id) return undefined
  return 'ERR PSYNC FAILOVER replid must match my replid.'
}
