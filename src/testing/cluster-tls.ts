/**
 * TLS of a cluster: every door of it wants a handshake, members and clients alike, and members trust what the given
 * authority has signed. Clients need no certificate of their own.
 */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { NO_TLS } from '../config/tls-options.ts'
import { Tls } from '../io/tls/tls.ts'
import type { ClusterCertificates } from './start-options.ts'
import type { TakeConnection } from './switchboard.ts'
import type { NodeLogin } from './wire.ts'

export class ClusterTls {
  /** For the connections that members open. */
  readonly opening: Tls
  readonly login: Pick<NodeLogin, 'ca'>

  /** Throws a StartError that says which file is wrong, and why. */
  constructor({ certFile, keyFile, caFile }: ClusterCertificates) {
    const files = { certFile, keyFile, caCertFile: caFile }
    const options = { ...NO_TLS, ...files, replication: true, authClients: 'no' } as const
    this.opening = new Tls(options, () => undefined)
    this.login = { ca: readFileSync(caFile, 'utf8') }
  }

  /** What takes plain connections takes those that have finished their handshake. */
  secured(take: TakeConnection): TakeConnection {
    return (plain) => {
      const secureContext = this.opening.contexts.opening as SecureContext
      const socket = new TLSSocket(plain, { isServer: true, secureContext })
      socket.on('error', () => socket.destroy())
      plain.once('close', () => socket.destroy())
      socket.once('secure', () => take(withEnds(socket, plain)))
    }
  }
}

/** Above a stream that is not the kernel's, a TLS socket does not know from where to where it goes. */
function withEnds(socket: TLSSocket, plain: Socket): TLSSocket {
  const { remoteAddress, remotePort, localAddress, localPort } = plain
  const ends = { remoteAddress, remotePort, localAddress, localPort }
  for (const [name, value] of Object.entries(ends)) Object.defineProperty(socket, name, { value })
  return socket
}
