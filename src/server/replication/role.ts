/**
 * Master or replica, and of whom: REPLICAOF. A demoted master keeps its data and its place in its own
 * history and offers that first; a promoted replica begins a history of its own that continues the old
 * one, and sends its replicas away so that they learn the new id.
 */
import { parseInt64 } from '../../base/decimal.ts'
import { error, OK, type Reply, simple } from '../../resp/reply.ts'
import type { Session } from '../sessions/session.ts'
import type { Address } from './following/link-phase.ts'
import type { MasterLink } from './following/master-link.ts'
import type { History } from './history/history.ts'
import type { Stream } from './history/stream.ts'
import type { ReplicationHost } from './host.ts'
import type { Replicas } from './serving/replicas.ts'
import type { Waits } from './serving/waits.ts'

const BAD_PORT = error('ERR Invalid master port')
const NOT_FOR_REPLICAS = error('ERR Command is not valid when client is a replica.')
const ALREADY_CONNECTED = simple('OK Already connected to specified master')
const FAILING_OVER = error('ERR REPLICAOF not allowed while failing over.')
const MAX_PORT = 65_535

export interface RoleParts {
  readonly host: ReplicationHost
  readonly history: History
  readonly replicas: Replicas
  readonly stream: Stream
  readonly link: MasterLink
  readonly waits: Waits
  isFailingOver(): boolean
}

export class Role {
  readonly #parts: RoleParts

  constructor(parts: RoleParts) {
    this.#parts = parts
    const master = configuredMaster(parts.host.settings.text('replicaof'))
    if (master !== undefined) parts.link.follow(master, false)
  }

  get isReplica(): boolean {
    return this.#parts.link.address !== undefined
  }

  replicaof(session: Session, argv: readonly string[]): Reply {
    if (this.#parts.isFailingOver()) return FAILING_OVER
    if (session.kind === 'replica') return NOT_FOR_REPLICAS
    const [, host = '', port = ''] = argv
    if (host.toLowerCase() === 'no' && port.toLowerCase() === 'one') {
      if (this.isReplica) this.promote()
      return OK
    }
    const number = parseInt64(port)
    if (typeof number !== 'number' || number < 0 || number > MAX_PORT) return BAD_PORT
    const wasMaster = !this.isReplica
    const reply = this.follow({ host, port: number })
    if (wasMaster) this.#parts.host.demoted(session)
    return reply
  }

  promote(): void {
    const { host, history, replicas, stream, link } = this.#parts
    link.stop()
    history.fork()
    // Whoever continues from us does not know which database our next command is for.
    stream.forgetDb()
    replicas.dropAll('they have to learn the id of the new history')
    replicas.restartEmptyTimer()
    host.settings.set('replicaof', '')
    host.port.log('notice', `this node is the master now, its history is ${history.id}`)
  }

  follow(address: Address): Reply {
    const { host, link } = this.#parts
    const current = link.address
    if (current?.port === address.port && equalsIgnoringCase(current.host, address.host)) {
      return ALREADY_CONNECTED
    }
    // Clients that wait for a push or an acknowledgement would wait for the wrong master.
    host.unblockForRoleChange()
    if (current === undefined) this.#demote()
    link.follow(address, current === undefined || link.hasPosition)
    host.settings.set('replicaof', `${address.host} ${address.port}`)
    host.port.log('notice', `this node is a replica of ${address.host}:${address.port} now`)
    return OK
  }

  #demote(): void {
    const { host, history, waits } = this.#parts
    waits.clear()
    history.createBacklog()
    host.streamTarget.db = 0
  }
}

function configuredMaster(setting: string): Address | undefined {
  const [host = '', port = ''] = setting.trim().split(/\s+/)
  const number = parseInt64(port)
  return host === '' || typeof number !== 'number' ? undefined : { host, port: number }
}

function equalsIgnoringCase(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
