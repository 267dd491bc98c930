/**
 * Asks replicas how closely they follow: for the read port a replica counts as long as it says itself that it
 * follows the confirmed master and has heard of it lately.
 */
import { type Address, hostAndPort, isSameAddress } from '../base/ip.ts'
import { encodeCommand } from '../resp/encode.ts'
import type { Reply } from '../resp/reply.ts'
import { ReplyDecoder } from '../resp/reply-decoder.ts'
import type { ProxyLogLevel, WireId } from './port.ts'
import type { ProxiedGroup } from './proxied-group.ts'
import { ToldFaults } from './told-faults.ts'

export interface ProbeHome {
  readonly maxLagMs: number
  readonly login: readonly string[] | undefined
  open(owner: ReplicaProbe, address: Address): WireId
  close(stream: WireId): void
  write(stream: WireId, bytes: string): void
  log(level: ProxyLogLevel, text: string): void
}

const ASK_MS = 500
/** What a replica has said holds for so long. */
const HOLDS_MS = 2_000
const SILENCE_MS = 1_500
/** A login that is refused is tried again after this time. */
const REFUSED_MS = 5_000
const NO_RIGHT =
  'no client reads there. Give this node a user with the name and the password of the proxy, and +info'

export class ReplicaProbe {
  readonly address: Address
  readonly #home: ProbeHome
  readonly #group: ProxiedGroup
  #stream: WireId | undefined
  #decoder = new ReplyDecoder()
  #isUp = false
  #repliesLeft = 0
  #heardAtMs = 0
  #askAtMs = 0
  /** What it said to the login, if that was an error. */
  #loginError = ''
  readonly #faults: ToldFaults

  constructor(home: ProbeHome, group: ProxiedGroup, address: Address) {
    this.#home = home
    this.#group = group
    this.address = address
    const about = `replica ${this.text} of ${group.name}`
    this.#faults = new ToldFaults((level, text) => home.log(level, `${about}: ${text}`))
  }

  owns(stream: WireId): boolean {
    return stream === this.#stream
  }

  wake(nowMs: number): void {
    const isSilent = this.#stream !== undefined && (!this.#isUp || this.#repliesLeft > 0)
    if (isSilent && nowMs - this.#heardAtMs >= SILENCE_MS) this.#lost()
    if (nowMs < this.#askAtMs) return
    this.#askAtMs = nowMs + ASK_MS
    if (this.#stream === undefined) {
      this.#heardAtMs = nowMs
      this.#stream = this.#home.open(this, this.address)
    } else if (this.#isUp && this.#repliesLeft === 0) this.#ask()
  }

  nextMs(): number {
    return this.#askAtMs
  }

  connected(nowMs: number): void {
    this.#isUp = true
    this.#heardAtMs = nowMs
    const { login } = this.#home
    if (login !== undefined) {
      this.#repliesLeft++
      this.#write(login)
    }
    this.#ask()
  }

  received(nowMs: number, bytes: string): void {
    this.#heardAtMs = nowMs
    this.#decoder.push(bytes)
    for (let reply = this.#decoder.next(); reply !== undefined; reply = this.#decoder.next()) {
      if (reply.kind === 'malformed') return this.#lost()
      this.#repliesLeft--
      if (this.#repliesLeft > 0) {
        this.#loginError = reply.kind === 'error' ? reply.text : ''
        continue
      }
      this.#tell(reply)
      if (reply.kind === 'error') return this.#refused(nowMs)
      const text = reply.kind === 'bulk' ? reply.bytes : reply.kind === 'verbatim' ? reply.text : ''
      this.#group.replicaIs(this.address, this.#isClose(text, nowMs) ? nowMs + HOLDS_MS : undefined)
    }
  }

  /** A node without a password refuses a login, and answers all the same. */
  #tell(reply: Reply): void {
    if (reply.kind !== 'error') return this.#faults.well('', 'it answers')
    if (/^(NOAUTH|NOPERM)/.test(reply.text)) {
      this.#faults.wrong('', `${this.#loginError || reply.text}; ${NO_RIGHT}`)
    }
  }

  /** Perhaps it lets us in later, and then on a new connection alone. */
  #refused(nowMs: number): void {
    this.#lost()
    this.#askAtMs = nowMs + REFUSED_MS
  }

  closed(): void {
    this.#lost()
  }

  end(): void {
    this.#lost()
  }

  #ask(): void {
    this.#repliesLeft++
    this.#write(['INFO', 'replication'])
  }

  #write(argv: readonly string[]): void {
    if (this.#stream !== undefined) this.#home.write(this.#stream, encodeCommand(argv))
  }

  #isClose(info: string, nowMs: number): boolean {
    const field = (name: string) => new RegExp(`^${name}:([^\\r\\n]*)`, 'm').exec(info)?.[1]
    const master = { host: field('master_host') ?? '', port: Number(field('master_port')) }
    const lagMs = Number(field('master_last_io_seconds_ago')) * 1_000
    const follows = field('role') === 'slave' && field('master_link_status') === 'up'
    // Of a strict group: it answers no reads.
    if (field('sync_replication') === '1') return false
    if (!follows || !(lagMs >= 0 && lagMs <= this.#home.maxLagMs)) return false
    const isNamed = isSameAddress(master, this.#group.masterAt(nowMs))
    return isNamed || this.#group.isSaidToFollow(this.address, nowMs)
  }

  #lost(): void {
    if (this.#stream !== undefined) this.#home.close(this.#stream)
    this.#stream = undefined
    this.#decoder = new ReplyDecoder()
    this.#isUp = false
    this.#repliesLeft = 0
    this.#group.replicaIs(this.address, undefined)
  }

  get text(): string {
    return hostAndPort(this.address.host, this.address.port)
  }
}
