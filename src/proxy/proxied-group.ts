/** What the proxy knows of one group: its master, as long as that is confirmed, and replicas that may be read. */
import { type Address, hostAndPort, isSameAddress } from '../base/ip.ts'
import { ProxyElectorate } from './electorate.ts'
import { type ConfirmedMaster, MasterView } from './master-view.ts'
import type { ProxyGroup } from './proxy-options.ts'
import type { FieldList } from './sentinel-link.ts'

export interface ReadableReplica {
  readonly address: Address
  /** From what it said last. */
  readonly untilMs: number
}

interface KnownReplica {
  readonly address: Address
  /**
   * Its master, by the address that we are told. Undefined: addresses are told as the nodes know them, so what it says
   * itself can be compared.
   */
  readonly follows: Address | undefined
}

export class ProxiedGroup {
  readonly name: string
  readonly hasReadPort: boolean
  readonly electorate: ProxyElectorate
  readonly #view: MasterView
  #confirmed: ConfirmedMaster | undefined
  /** The replicas each Sentinel knows. */
  readonly #replicas = new Map<string, readonly KnownReplica[]>()
  /** Those that have lately said of themselves that they follow the master closely enough. */
  readonly #readable = new Map<string, ReadableReplica>()
  #turn = 0
  /** A Sentinel says that it is about to fail the master over: new commands wait until then. */
  #switchUntilMs = 0
  /** The last such word led to nothing: the next ones are not believed until then. */
  #distrustUntilMs = 0
  /** A master that has ended a client's connection. */
  #doubt: { readonly master: Address; readonly untilMs: number } | undefined

  constructor(group: ProxyGroup, sentinels: readonly Address[], leaseMs: number) {
    this.name = group.name
    this.hasReadPort = group.hasReadPort
    this.electorate = new ProxyElectorate(sentinels)
    this.#view = new MasterView(leaseMs)
  }

  get confirmed(): ConfirmedMaster | undefined {
    return this.#confirmed
  }

  /** The master whose confirmation has not run out. */
  masterAt(nowMs: number): Address | undefined {
    const confirmed = this.#confirmed
    return confirmed !== undefined && nowMs < confirmed.untilMs ? confirmed.address : undefined
  }

  /**
   * Whether commands had better wait for the next master: what reaches the present one now would be lost with it, or
   * refused. It takes one Sentinel to say so, because waiting does no harm that lasts; so it is bounded.
   */
  isSwitching(nowMs: number): boolean {
    return nowMs < this.#switchUntilMs
  }

  switchBegins(nowMs: number): void {
    if (nowMs < this.#distrustUntilMs) return
    this.#switchUntilMs = nowMs + SWITCH_MS
    this.#distrustUntilMs = nowMs + DISTRUST_MS
  }

  switchEnds(isDone = false): void {
    this.#switchUntilMs = 0
    if (isDone) this.#distrustUntilMs = 0
  }

  /** A master has ended a client's connection: perhaps it is dying. */
  lost(master: Address, nowMs: number): void {
    this.#doubt = { master, untilMs: nowMs + DOUBT_MS }
  }

  isDoubtful(master: Address, nowMs: number): boolean {
    return (
      this.#doubt !== undefined &&
      nowMs < this.#doubt.untilMs &&
      isSameAddress(this.#doubt.master, master)
    )
  }

  named(by: Address, master: Address | undefined, askedAtMs: number): void {
    const key = this.electorate.keyOf(by)
    if (master === undefined) this.#view.silent(key)
    else this.#view.named(key, master, askedAtMs)
  }

  /** Counts the words anew. True if the master is another one now, or is confirmed again. */
  count(nowMs: number): boolean {
    const electors = this.electorate.electors()
    this.#view.keepOnly(new Set(electors.keys()))
    const before = this.masterAt(nowMs)
    const confirmed = this.#view.confirmed(nowMs, electors.size)
    // The last one is kept, although it has run out, so that a session knows where it was.
    if (confirmed !== undefined) this.#confirmed = confirmed
    return !isSameAddress(before, this.masterAt(nowMs))
  }

  knowsReplicas(by: Address, fields: FieldList): void {
    const replicas = fields.flatMap((row): KnownReplica[] => {
      const address = { host: row.get('ip') ?? '', port: Number(row.get('port')) }
      if (!(address.port > 0 && address.port <= 65_535)) return []
      const isTranslated = row.get('name') !== hostAndPort(address.host, address.port)
      const master = { host: row.get('master-host') ?? '', port: Number(row.get('master-port')) }
      return [{ address, follows: isTranslated ? master : undefined }]
    })
    this.#replicas.set(this.electorate.keyOf(by), replicas.slice(0, MAX_REPLICAS))
  }

  /** The replicas that more than half of the Sentinels know. */
  replicas(): readonly Address[] {
    const electors = this.electorate.electors()
    const counts = new Map<string, { readonly address: Address; count: number }>()
    for (const [key, known] of this.#replicas) {
      if (!electors.has(key)) continue
      for (const { address } of known) {
        const name = hostAndPort(address.host, address.port)
        const found = counts.get(name) ?? { address, count: 0 }
        found.count++
        counts.set(name, found)
      }
    }
    return [...counts.values()]
      .filter(({ count }) => count > electors.size / 2)
      .map(({ address }) => address)
  }

  /**
   * Whether more than half of the Sentinels say that this replica follows the confirmed master. Outside of a NAT its own
   * word cannot be compared: it names its master by the address inside.
   */
  isSaidToFollow(replica: Address, nowMs: number): boolean {
    const master = this.masterAt(nowMs)
    const electors = this.electorate.electors()
    const says = [...this.#replicas].filter(([key, known]) => {
      const found = known.find(({ address }) => isSameAddress(address, replica))
      return (
        electors.has(key) && found?.follows !== undefined && isSameAddress(found.follows, master)
      )
    })
    return master !== undefined && says.length > electors.size / 2
  }

  /** A replica has said how far it is; undefined: it may not be read. */
  replicaIs(address: Address, untilMs: number | undefined): void {
    const name = hostAndPort(address.host, address.port)
    if (untilMs === undefined) this.#readable.delete(name)
    else this.#readable.set(name, { address, untilMs })
  }

  readableAt(nowMs: number): readonly ReadableReplica[] {
    return [...this.#readable.values()].filter(({ untilMs }) => nowMs < untilMs)
  }

  /**
   * Where a reader goes: where it is, as long as that may be read, otherwise to the replicas in turn, and to the
   * master if there is none.
   */
  readerAt(nowMs: number, present: Address | undefined): Address | undefined {
    const readable = this.readableAt(nowMs)
    const stays = readable.find(({ address }) => isSameAddress(address, present))
    if (stays !== undefined) return stays.address
    const next = readable[this.#turn++ % Math.max(readable.length, 1)]
    return next?.address ?? this.masterAt(nowMs)
  }
}

const MAX_REPLICAS = 64
const SWITCH_MS = 1_000
const DISTRUST_MS = 10_000
const DOUBT_MS = 1_000
