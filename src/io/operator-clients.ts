/**
 * Clients of a Sentinel that are no connections: the program itself gives commands to its machine, and
 * listens to its events, for clients of the HTTP port. Everything goes through the machine's own table of
 * commands, so there is no second way to do anything.
 */
import type { Event } from '../core/event.ts'
import type { ClientId } from '../core/ids.ts'
import { encodeCommand } from '../resp/encode.ts'
import { error, type Reply } from '../resp/reply.ts'

/** What a listener is told: the name of an event and its payload, byte strings. */
export type EventListener = (name: string, payload: string) => void

const NO_ANSWER = error('ERR the Sentinel gave no answer')

export class OperatorClients {
  readonly #feed: (event: Event) => void
  readonly #nextId: () => ClientId
  readonly #waiting = new Map<ClientId, (reply: Reply) => void>()
  #listener: { readonly id: ClientId; readonly tell: EventListener } | undefined

  constructor(feed: (event: Event) => void, nextId: () => ClientId) {
    this.#feed = feed
    this.#nextId = nextId
  }

  /** Gives one command, whose words are byte strings. Never rejects. */
  ask(argv: readonly string[]): Promise<Reply> {
    return new Promise((resolve) => {
      const client = this.#open()
      this.#waiting.set(client, resolve)
      this.#say(client, argv)
    })
  }

  /** Tells this listener every event from now on; there is one. */
  listen(tell: EventListener): void {
    const id = this.#open()
    this.#listener = { id, tell }
    this.#say(id, ['PSUBSCRIBE', '*'])
  }

  /** False: the answer is for a connection. */
  responded(client: ClientId, reply: Reply): boolean {
    if (client === this.#listener?.id) {
      this.#heard(reply)
      return true
    }
    return this.#answered(client, reply)
  }

  /** The machine hung up. False: on a connection. */
  closed(client: ClientId): boolean {
    const { id, tell } = this.#listener ?? {}
    if (client !== id) return this.#answered(client, NO_ANSWER)
    // CLIENT KILL. The listener is needed all the same.
    if (tell !== undefined) this.listen(tell)
    return true
  }

  #answered(client: ClientId, reply: Reply): boolean {
    const resolve = this.#waiting.get(client)
    if (resolve === undefined) return false
    this.#waiting.delete(client)
    this.#feed({ kind: 'clientClosed', client })
    resolve(reply)
    return true
  }

  #heard(reply: Reply): void {
    if (reply.kind !== 'array' && reply.kind !== 'push') return
    const [kind, , name, payload] = reply.items.map((item) =>
      item.kind === 'bulk' ? item.bytes : '',
    )
    if (kind === 'pmessage') this.#listener?.tell(name ?? '', payload ?? '')
  }

  #open(): ClientId {
    const client = this.#nextId()
    const local = { address: '127.0.0.1:0', localAddress: '127.0.0.1:0' }
    this.#feed({ kind: 'clientOpened', client, ...local, isOperator: true })
    return client
  }

  #say(client: ClientId, argv: readonly string[]): void {
    this.#feed({ kind: 'received', client, bytes: encodeCommand(argv) })
  }
}
