/**
 * Whoever looks on: outside of every partition and at no distance. It asks each data node for its role
 * again and again, since whether a replica is connected is known to nobody else, and sends what a
 * timeline or a verdict wants to ask.
 */
import type { Reply } from '../resp/reply.ts'
import { Exchange } from './exchange.ts'
import type { Address, NodeRole } from './happening.ts'
import type { Program } from './process.ts'
import type { Shell } from './shell.ts'

const ROLE_PERIOD_MS = 100
const ANSWER_TIMEOUT_MS = 5_000

export interface ObserverStart {
  readonly shell: Shell
  /** Data nodes by name. */
  readonly nodes: ReadonlyMap<string, Address>
  /** A node is asked for its role now: gives what to tell the answer to. */
  readonly asksRole: (node: string) => (role: NodeRole) => void
}

/** Undefined: no answer came. */
export type Answered = (reply: Reply | undefined) => void

export class ObserverProgram implements Program {
  readonly #start: ObserverStart
  readonly #polls = new Map<string, Poll>()
  #nextRoundMs: number

  constructor(start: ObserverStart) {
    this.#start = start
    this.#nextRoundMs = start.shell.now().monoMs
  }

  /** Sends one command on a connection of its own. */
  ask(address: Address, argv: readonly string[], answered: Answered): void {
    const exchange = new Exchange(this.#start.shell, address, ANSWER_TIMEOUT_MS, {
      connected: () => exchange.send(argv),
      replied: (reply) => {
        exchange.close()
        answered(reply)
      },
      lost: () => answered(undefined),
    })
  }

  wake(): void {
    this.#nextRoundMs += ROLE_PERIOD_MS
    for (const [name, address] of this.#start.nodes) this.#poll(name, address)
  }

  nextWakeUpMs(): number {
    return this.#nextRoundMs
  }

  stopRequested(): void {}

  #poll(name: string, address: Address): void {
    const poll = this.#polls.get(name)
    if (poll === undefined) this.#open(name, address)
    else if (!poll.isWaiting) poll.ask()
  }

  #open(name: string, address: Address): void {
    const exchange = new Exchange(this.#start.shell, address, ANSWER_TIMEOUT_MS, {
      connected: () => poll.ask(),
      replied: (reply) => {
        poll.isWaiting = false
        const role = readRole(reply)
        if (role !== undefined) poll.tell(role)
      },
      lost: () => this.#polls.delete(name),
    })
    const poll: Poll = {
      isWaiting: true,
      tell: () => {},
      ask: () => {
        poll.isWaiting = true
        poll.tell = this.#start.asksRole(name)
        exchange.send(['ROLE'])
      },
    }
    this.#polls.set(name, poll)
  }
}

interface Poll {
  isWaiting: boolean
  tell: (role: NodeRole) => void
  readonly ask: () => void
}

function readRole(reply: Reply): NodeRole | undefined {
  if (reply.kind !== 'array') return undefined
  const [role, host, port, link] = reply.items
  if (role?.kind !== 'bulk') return undefined
  if (role.bytes === 'master') return { kind: 'master' }
  if (host?.kind !== 'bulk' || port?.kind !== 'integer' || link?.kind !== 'bulk') return undefined
  const master = { host: host.bytes, port: Number(port.value) }
  return { kind: 'replica', master, isLinkUp: link.bytes === 'connected' }
}
