/**
 * What a liar learns as any client of the data nodes can: which Sentinels there are, and how far
 * their epochs have come.
 */

import type { Address } from '../../base/ip.ts'
import { HELLO_CHANNEL } from '../../core/discovery/hello-format.ts'
import type { Hearsay } from '../../history/lie.ts'
import type { Reply } from '../../resp/reply.ts'
import { Exchange } from '../clients/exchange.ts'
import type { Shell } from '../processes/shell.ts'

const CONNECT_TIMEOUT_MS = 2_000
const RETRY_MS = 1_000

export interface LiarEarsStart {
  readonly shell: Shell
  readonly password: string | undefined
  /** The data nodes' present addresses. */
  readonly nodes: () => readonly Address[]
  /** Whether the liar itself said this. */
  readonly isOwn: (payload: string) => boolean
}

interface Told {
  config: bigint
  master: Address
}

export class LiarEars {
  readonly #start: LiarEarsStart
  readonly #lines = new Map<string, Exchange>()
  readonly #ids = new Map<string, string>()
  readonly #groups = new Map<string, Told>()
  #current = 0n
  /** Monotonic: when to look for nodes whose hellos the liar does not receive yet. */
  dueMs: number

  constructor(start: LiarEarsStart) {
    this.#start = start
    this.dueMs = start.shell.now().monoMs
  }

  wake(nowMs: number): void {
    if (nowMs < this.dueMs) return
    this.dueMs = nowMs + RETRY_MS
    for (const address of this.#start.nodes()) this.#listenTo(address)
  }

  heard(group: string): Hearsay {
    return { current: this.#current, config: this.#groups.get(group)?.config ?? 0n }
  }

  /** Undefined if no Sentinel has announced one yet. */
  masterOf(group: string): Address | undefined {
    return this.#groups.get(group)?.master
  }

  /**
   * The run id of the Sentinel at an address; undefined if the liar has heard no hello from there.
   */
  idAt({ host, port }: Address): string | undefined {
    return this.#ids.get(`${host}:${port}`)
  }

  #listenTo(address: Address): void {
    const key = `${address.host}:${address.port}`
    if (this.#lines.has(key)) return
    const { shell, password } = this.#start
    const line = new Exchange(
      shell,
      address,
      CONNECT_TIMEOUT_MS,
      {
        connected: () => line.send(['SUBSCRIBE', HELLO_CHANNEL]),
        replied: (reply) => this.#replied(reply),
        lost: () => this.#lines.delete(key),
      },
      password,
    )
    this.#lines.set(key, line)
  }

  #replied(reply: Reply): void {
    if (reply.kind !== 'array') return
    const [type, , payload] = reply.items
    if (type?.kind !== 'bulk' || type.bytes !== 'message' || payload?.kind !== 'bulk') return
    if (!this.#start.isOwn(payload.bytes)) this.#learn(payload.bytes.split(','))
  }

  #learn([host = '', port, id = '', current, group = '', master = '', at, config]: string[]): void {
    this.#ids.set(`${host}:${port}`, id)
    const reached = numberIn(current)
    if (reached > this.#current) this.#current = reached
    const known = this.#groups.get(group)
    const epoch = numberIn(config)
    if (known !== undefined && known.config > epoch) return
    this.#groups.set(group, { config: epoch, master: { host: master, port: Number(at) } })
  }
}

function numberIn(text = ''): bigint {
  return /^\d{1,20}$/.test(text) ? BigInt(text) : 0n
}
