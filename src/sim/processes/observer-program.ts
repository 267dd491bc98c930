/**
 * The observer: no partition separates it from a host, and its connections take no time. It asks
 * each data node for its role again and again, because only the node itself knows whether its link
 * is up, and sends the commands that a timeline or a verdict needs.
 */

import type { Address } from '../../base/ip.ts'
import type { NodeRole } from '../../history/happening.ts'
import type { Reply } from '../../resp/reply.ts'
import { Exchange, type ExchangeHandler } from '../clients/exchange.ts'
import type { Program } from './process.ts'
import type { Shell } from './shell.ts'

const ROLE_PERIOD_MS = 100
/** While nothing happens: a month of a quiet cluster is not for the observer. */
const QUIET_PERIOD_MS = 30_000
const ANSWER_TIMEOUT_MS = 5_000

export interface ObserverStart {
  readonly shell: Shell
  /** Data nodes by name. */
  readonly nodes: ReadonlyMap<string, Address>
  /** Called when a node is being asked for its role: returns the function that takes the answer. */
  readonly asksRole: (node: string) => (role: NodeRole) => void
  /** What the node would answer to ROLE now; undefined: it can only be asked. */
  readonly lookAt?: (node: string) => Reply | undefined
  /** Whether nothing has happened for so long that it need not look closely. */
  readonly isQuiet?: () => boolean
  /** Undefined if none is required. */
  readonly password?: string | undefined
}

export type Commands = readonly (readonly string[])[]

/** `reply` is undefined if no answer came. */
export type ReplyHandler = (reply: Reply | undefined) => void

export class ObserverProgram implements Program {
  readonly #start: ObserverStart
  readonly #polls = new Map<string, Poll>()
  #nextRoundMs: number

  constructor(start: ObserverStart) {
    this.#start = start
    this.#nextRoundMs = start.shell.now().monoMs
  }

  /** Sends commands on a connection of their own; the reply to the last one is the answer. */
  ask(address: Address, commands: Commands, answered: ReplyHandler): void {
    let left = commands.length
    const exchange = this.#connect(address, {
      connected: () => {
        for (const argv of commands) exchange.send(argv)
      },
      replied: (reply) => {
        left--
        if (left > 0) return
        exchange.close()
        answered(reply)
      },
      lost: () => answered(undefined),
    })
  }

  wake(): void {
    const isQuiet = this.#start.isQuiet?.() ?? false
    this.#nextRoundMs += isQuiet ? QUIET_PERIOD_MS : ROLE_PERIOD_MS
    for (const [name, address] of this.#start.nodes) this.#poll(name, address)
  }

  /** Something is being done to the world: from now on it looks closely again. */
  lookClosely(): void {
    const nextMs = this.#start.shell.now().monoMs + ROLE_PERIOD_MS
    if (this.#nextRoundMs > nextMs) this.#nextRoundMs = nextMs
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
    const replied = (reply: Reply): void => {
      poll.isWaiting = false
      const role = readRole(reply)
      if (role !== undefined) poll.tell(role)
    }
    const exchange = this.#connect(address, {
      connected: () => poll.ask(),
      replied,
      lost: () => this.#polls.delete(name),
    })
    const poll: Poll = {
      isWaiting: true,
      tell: () => {},
      ask: () => {
        poll.isWaiting = true
        poll.tell = this.#start.asksRole(name)
        const seen = this.#start.lookAt?.(name)
        if (seen === undefined) exchange.send(['ROLE'])
        else replied(seen)
      },
    }
    this.#polls.set(name, poll)
  }

  #connect(address: Address, handler: ExchangeHandler): Exchange {
    const { shell, password } = this.#start
    return new Exchange(shell, address, ANSWER_TIMEOUT_MS, handler, password)
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
