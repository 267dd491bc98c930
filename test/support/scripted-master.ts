/**
 * A master whose every byte the test decides. It plays the handshake, sends an empty dataset at offset
 * 1000 of its history, and then sends what it is told.
 */

import { RequestDecoder } from '../../src/resp/request-decoder.ts'
import type { ConnectionId } from '../../src/server/port.ts'
import { crc64 } from '../../src/server/rdb/crc64.ts'
import type { Party, VirtualNetwork } from './virtual-network.ts'

const BODY = 'REDIS0009\xff'
const RDB = BODY + crc64(BODY)
const START_OFFSET = 1000

export class ScriptedMaster implements Party {
  readonly address: string
  readonly isDown = false
  readonly isFrozen = false
  readonly id = 'a'.repeat(40)
  isStreaming = false
  /** The last PSYNC of a replica that already had a position. */
  psync: string[] | undefined
  readonly #network: VirtualNetwork
  #decoder = new RequestDecoder()
  #connection: ConnectionId = 0
  #input = ''

  constructor(network: VirtualNetwork, address: string) {
    this.#network = network
    this.address = address
    network.add(this)
  }

  send(bytes: string): void {
    this.#network.write(this, this.#connection, bytes)
  }

  /** What the replica has sent since the last call, once the stream has begun. */
  take(): string {
    const input = this.#input
    this.#input = ''
    return input
  }

  hangUp(): void {
    this.isStreaming = false
    this.#network.close(this, this.#connection)
  }

  nextIncomingId(): ConnectionId {
    this.#connection++
    return this.#connection
  }

  accepted(): void {
    this.#decoder = new RequestDecoder()
    this.isStreaming = false
  }

  connected(): void {}

  received(_id: ConnectionId, bytes: string): void {
    if (this.isStreaming) this.#input += bytes
    else this.#answer(bytes)
  }

  closed(): void {
    this.isStreaming = false
  }

  #answer(bytes: string): void {
    this.#decoder.push(bytes)
    for (let next = this.#decoder.next(); next !== undefined; next = this.#decoder.next()) {
      const argv = next.kind === 'command' ? next.argv : []
      if (argv[0] === 'PING') this.send('+PONG\r\n')
      else if (argv[0] === 'PSYNC') this.#onPsync(argv.slice(1))
      else this.send('+OK\r\n')
    }
  }

  #onPsync(asked: string[]): void {
    this.isStreaming = true
    if (this.#connection > 1) this.psync = asked
    else this.send(`+FULLRESYNC ${this.id} ${START_OFFSET}\r\n$${RDB.length}\r\n${RDB}`)
  }
}
