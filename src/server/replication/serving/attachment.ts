/**
 * How a connection becomes a replica of this node: REPLCONF, where it introduces itself, and PSYNC or
 * SYNC, where it asks to be brought up to date and gets what it missed or everything.
 */
import { parseInt64 } from '../../../base/decimal.ts'
import { splitArgs } from '../../../base/split-args.ts'
import { error, OK, type Reply } from '../../../resp/reply.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import type { Session } from '../../sessions/session.ts'
import type { History } from '../history/history.ts'
import type { ReplicationHost } from '../host.ts'
import type { FullSync } from './full-sync.ts'
import { type PsyncRequest, parsePsync, refuseFailover } from './psync.ts'
import { newReplicaPeer, peerHost, type ReplicaPeer } from './replica-peer.ts'
import type { Replicas } from './replicas.ts'

const NO_MASTER_LINK = error("NOMASTERLINK Can't SYNC while not connected with my master")
const FAILING_OVER = error("NOMASTERLINK Can't SYNC while failing over")
const PENDING_OUTPUT = error('ERR SYNC and PSYNC are invalid with pending output')
const FILTER_NEEDS_EOF = error('ERR Filtered replica requires EOF capability')
const MISSING_FILTER = error('ERR Missing rdb-filter-only values')
const BAD_FLAG = error('ERR value is out of range, value must between 0 and 1')
const MAX_ADDRESS_BYTES = 255

/** What attaching needs to know of the rest of replication. */
export interface AttachmentRole {
  isReplica(): boolean
  linkUp(): boolean
  /** A FAILOVER runs: who is master tomorrow is open. */
  isFailingOver(): boolean
  /** Becomes the master, because a master that fails over to us asks for it. */
  promote(): void
  /** A replica has acknowledged something. */
  acknowledged(): void
  /** Our own master, if there is one, wants to know how far we are. */
  acknowledgeToMaster(): void
}

export class Attachment {
  readonly #host: ReplicationHost
  readonly #history: History
  readonly #replicas: Replicas
  readonly #fullSync: FullSync
  readonly #role: AttachmentRole
  fullCount = 0
  partialCount = 0
  partialRefusedCount = 0

  constructor(
    host: ReplicationHost,
    history: History,
    replicas: Replicas,
    fullSync: FullSync,
    role: AttachmentRole,
  ) {
    this.#host = host
    this.#history = history
    this.#replicas = replicas
    this.#fullSync = fullSync
    this.#role = role
  }

  psync(session: Session, argv: readonly string[]): Reply | undefined {
    if (session.kind === 'replica') return undefined
    const request = parsePsync(argv)
    const refusal = this.#refuse(request) ?? refuseConnection(session)
    if (refusal !== undefined) return refusal
    const { id, offset } = request
    if (offset === undefined) return NOT_AN_INTEGER
    const peer = this.#attach(session)
    if (this.#history.canContinue(id, offset)) this.#continue(peer, offset)
    else this.#startOver(peer, !id.startsWith('?'))
    return undefined
  }

  /** The request of replicas before PSYNC, and of tools that take a backup. */
  sync(session: Session): Reply | undefined {
    if (session.kind === 'replica') return undefined
    const refusal = this.#refuseAll() ?? refuseConnection(session)
    if (refusal !== undefined) return refusal
    const peer = this.#attach(session)
    peer.preSync = true
    this.#startOver(peer, false)
    return undefined
  }

  replconf(session: Session, argv: readonly string[]): Reply | undefined {
    if (argv.length % 2 === 0) return SYNTAX_ERROR
    session.replica ??= newReplicaPeer(session)
    for (let at = 1; at < argv.length; at += 2) {
      const option = (argv[at] as string).toLowerCase()
      if (option === 'ack') return this.#acknowledge(session.replica, argv.slice(at + 1))
      if (option === 'getack') {
        this.#role.acknowledgeToMaster()
        return undefined
      }
      const fault = configurePeer(session.replica, argv[at] as string, argv[at + 1] as string)
      if (fault !== undefined) return fault
    }
    return OK
  }

  #refuse(request: PsyncRequest): Reply | undefined {
    if (request.failover) {
      const refusal = refuseFailover(this.#role.isReplica(), this.#history, request)
      if (refusal !== undefined) return error(refusal)
      this.#role.promote()
    }
    return this.#refuseAll()
  }

  #refuseAll(): Reply | undefined {
    if (this.#role.isFailingOver()) return FAILING_OVER
    return this.#role.isReplica() && !this.#role.linkUp() ? NO_MASTER_LINK : undefined
  }

  #attach(session: Session): ReplicaPeer {
    const peer = session.replica ?? newReplicaPeer(session)
    session.replica = peer
    session.kind = 'replica'
    // An answer to anything it may still send would be taken for a command of the stream.
    session.replyMode = 'off'
    this.#replicas.attach(peer)
    return peer
  }

  #continue(peer: ReplicaPeer, offset: number): void {
    this.partialCount++
    this.#log(peer, `continues from ${offset}`)
    const id = peer.canPsync2 ? ` ${this.#history.id}` : ''
    this.#host.port.write(peer.connection.id, `+CONTINUE${id}\r\n`)
    this.#replicas.bringOnline(peer, offset)
  }

  #startOver(peer: ReplicaPeer, askedToContinue: boolean): void {
    this.fullCount++
    if (askedToContinue) this.partialRefusedCount++
    this.#log(peer, 'needs a full copy')
    if (this.#history.backlog === undefined) {
      // What was written until now was not counted, so no position in it means anything.
      this.#history.begin()
      this.#history.createBacklog()
    }
    this.#fullSync.request(peer)
  }

  #log(peer: ReplicaPeer, text: string): void {
    this.#host.port.log('notice', `replica ${peerHost(peer)}:${peer.listeningPort} ${text}`)
  }

  /** `ACK <applied>`, since 7.2 perhaps with `FACK <on disk>`. */
  #acknowledge(
    peer: ReplicaPeer,
    [text = '', fack = '', synced = '']: readonly string[],
  ): undefined {
    const offset = parseInt64(text)
    if (typeof offset !== 'number' || peer.phase === 'announced') return
    peer.ackOffset = Math.max(peer.ackOffset, offset)
    const onDisk = fack.toLowerCase() === 'fack' ? parseInt64(synced) : undefined
    if (typeof onDisk === 'number') peer.fsyncedOffset = Math.max(peer.fsyncedOffset, onDisk)
    peer.ackAtMs = this.#host.now.monoMs
    if (peer.phase === 'loading') this.#replicas.bringOnline(peer, peer.heldFromOffset + 1)
    this.#role.acknowledged()
  }
}

/** What of the connection itself forbids that it becomes a replica's. */
function refuseConnection(session: Session): Reply | undefined {
  // From here on we write to the connection ourselves: replies still gathered would come among that.
  if (session.pendingOutputBytes > 0) return PENDING_OUTPUT
  const { replica } = session
  const isFiltered = replica !== undefined && replica.wants !== 'all'
  return isFiltered && !replica.canEof ? FILTER_NEEDS_EOF : undefined
}

/** Undefined: understood. */
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

/** A list of what it wants to have; there is nothing but functions to choose. */
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
