/**
 * Everything the proxy learns about the groups: it keeps a link to each Sentinel whose word counts, and a probe at
 * each replica of groups with a read port, and tells when the master of a group has changed.
 */
import { type Address, addressText, hostAndPort, isSameAddress } from '../base/ip.ts'
import type { ProxyPort, WireId } from './port.ts'
import { ProxiedGroup } from './proxied-group.ts'
import type { ProxyConfig } from './proxy-options.ts'
import { ReplicaProbe } from './replica-probe.ts'
import { type Described, type FailoverNews, type FieldList, SentinelLink } from './sentinel-link.ts'

/** A Sentinel is asked so many times within a lease. */
const ASKS_PER_LEASE = 4
const ASK_MAX_MS = 250
const ASK_MIN_MS = 25
const URGENT_MS = 10
const URGENT_FOR_MS = 1_000

export interface WatchStart {
  readonly config: ProxyConfig
  readonly port: ProxyPort
  nextId(): WireId
  nowMs(): number
  /** A group has another master, or one again, or none any more. */
  announce(group: ProxiedGroup): void
  /** Its sessions may or must do something else now. */
  changed(group: ProxiedGroup): void
}

type Owner = SentinelLink | ReplicaProbe

export class GroupWatch {
  readonly #start: WatchStart
  readonly #askMs: number
  readonly #login: readonly string[] | undefined
  readonly groups: ReadonlyMap<string, ProxiedGroup>
  readonly #links = new Map<string, SentinelLink>()
  readonly #probes = new Map<string, ReplicaProbe>()
  readonly #owners = new Map<WireId, Owner>()
  /** Masters that were announced to be confirmed, to notice when they are not any more. */
  readonly #told = new Map<ProxiedGroup, Address | undefined>()

  constructor(start: WatchStart) {
    this.#start = start
    const { config } = start
    const { leaseMs, user, password } = config
    this.#askMs = Math.max(ASK_MIN_MS, Math.min(ASK_MAX_MS, leaseMs / ASKS_PER_LEASE))
    const words = user === '' ? [password] : [user, password]
    this.#login = password === '' ? undefined : ['AUTH', ...words]
    this.groups = new Map(
      config.groups.map((group) => [
        group.name,
        new ProxiedGroup(group, config.sentinels, leaseMs),
      ]),
    )
    for (const address of config.sentinels) this.#link(address)
  }

  get sentinels(): readonly SentinelLink[] {
    return [...this.#links.values()]
  }

  owns(stream: WireId): boolean {
    return this.#owners.has(stream)
  }

  wake(nowMs: number): void {
    for (const link of this.#links.values()) link.wake(nowMs)
    for (const probe of this.#probes.values()) probe.wake(nowMs)
    for (const group of this.groups.values()) this.#count(group, nowMs)
  }

  nextMs(nowMs: number): number {
    let nextMs = nowMs + this.#askMs
    for (const link of this.#links.values()) nextMs = Math.min(nextMs, link.nextMs())
    for (const probe of this.#probes.values()) nextMs = Math.min(nextMs, probe.nextMs())
    for (const { confirmed } of this.groups.values()) {
      if (confirmed !== undefined && confirmed.untilMs > nowMs) {
        nextMs = Math.min(nextMs, confirmed.untilMs)
      }
    }
    return Math.max(nextMs, nowMs + 1)
  }

  /** Something is wrong with a master: what do the Sentinels say now? */
  ask(nowMs: number): void {
    for (const link of this.#links.values()) link.ask(nowMs)
  }

  connected(stream: WireId, nowMs: number): void {
    const owner = this.#owners.get(stream)
    if (owner instanceof SentinelLink) owner.connected(stream, nowMs)
    else owner?.connected(nowMs)
  }

  received(stream: WireId, nowMs: number, bytes: string): void {
    const owner = this.#owners.get(stream)
    if (owner instanceof SentinelLink) owner.received(stream, nowMs, bytes)
    else owner?.received(nowMs, bytes)
  }

  closed(stream: WireId, nowMs: number, reason: string): void {
    const owner = this.#owners.get(stream)
    this.#owners.delete(stream)
    if (owner instanceof SentinelLink) owner.closed(stream, nowMs, reason)
    else owner?.closed()
  }

  end(): void {
    for (const link of this.#links.values()) link.end()
    for (const probe of this.#probes.values()) probe.end()
  }

  #link(address: Address): void {
    const name = hostAndPort(address.host, address.port)
    if (this.#links.has(name)) return
    const { config } = this.#start
    const link = new SentinelLink(
      {
        ...this.#streams(),
        askMs: () => (this.#isUrgent ? Math.min(URGENT_MS, this.#askMs) : this.#askMs),
        groups: config.groups,
        login: this.#login,
        usesTls: config.usesTls,
        identified: (by, runId) => this.#identified(by, runId),
        named: (by, group, master, askedAtMs) => this.#named(by, group, master, askedAtMs),
        described: (by, group, question, fields) => this.#described(by, group, question, fields),
        heard: (event, group) => this.#heard(event, group),
        log: (_by, level, text) => this.#start.port.log(level, `Sentinel ${name}: ${text}`),
      },
      address,
    )
    this.#links.set(name, link)
  }

  #heard(event: FailoverNews, name: string): void {
    const nowMs = this.#start.nowMs()
    const group = this.groups.get(name)
    if (event === '+try-failover') group?.switchBegins(nowMs)
    else if (event !== '+switch-master') group?.switchEnds()
    if (group !== undefined) this.#start.changed(group)
    this.ask(nowMs)
  }

  /** A switch is under way, or the master has only just been lost: the answer may be another one at any moment. */
  get #isUrgent(): boolean {
    const nowMs = this.#start.nowMs()
    return [...this.groups.values()].some((group) => {
      if (group.isSwitching(nowMs)) return true
      const { confirmed } = group
      const lostMs = confirmed === undefined ? 0 : nowMs - confirmed.untilMs
      return group.masterAt(nowMs) === undefined && lostMs < URGENT_FOR_MS
    })
  }

  #streams() {
    const { port, nextId } = this.#start
    return {
      open: (owner: Owner, { host, port: number }: Address): WireId => {
        const id = nextId()
        this.#owners.set(id, owner)
        port.connect(id, host, number)
        return id
      },
      close: (stream: WireId): void => {
        this.#owners.delete(stream)
        port.close(stream, true)
      },
      write: (stream: WireId, bytes: string): void => port.write(stream, bytes),
    }
  }

  #identified(by: SentinelLink, runId: string): void {
    for (const group of this.groups.values()) group.electorate.identified(by.address, runId)
  }

  #named(by: SentinelLink, name: string, master: Address | undefined, askedAtMs: number): void {
    const group = this.groups.get(name)
    if (group === undefined) return
    group.named(by.address, master, askedAtMs)
    this.#count(group, this.#start.nowMs())
  }

  #count(group: ProxiedGroup, nowMs: number): void {
    group.count(nowMs)
    const master = group.masterAt(nowMs)
    const before = this.#told.get(group)
    if (isSameAddress(before, master)) return
    this.#told.set(group, master)
    if (master !== undefined) group.switchEnds(true)
    this.#start.announce(group)
    this.#start.changed(group)
  }

  #described(by: SentinelLink, name: string, question: Described, fields: FieldList): void {
    const group = this.groups.get(name)
    if (group === undefined) return
    if (question === 'replicas') {
      group.knowsReplicas(by.address, fields)
      return this.#keepProbes()
    }
    const others = fields.flatMap((row) => {
      const port = Number(row.get('port'))
      const [runId = '', host = ''] = [row.get('runid'), row.get('ip')]
      return runId !== '' && port > 0 && port <= 65_535 ? [{ runId, address: { host, port } }] : []
    })
    group.electorate.described(by.address, others)
    this.#keepLinks()
  }

  /** To every elector of any group, and to no other. */
  #keepLinks(): void {
    const wanted = new Set(this.#start.config.sentinels.map(addressText))
    for (const { electorate } of this.groups.values()) {
      for (const address of electorate.electors().values()) {
        wanted.add(addressText(address))
        this.#link(address)
      }
    }
    for (const [name, link] of this.#links) {
      if (wanted.has(name)) continue
      link.end()
      this.#links.delete(name)
    }
  }

  #keepProbes(): void {
    const wanted = new Set<string>()
    const { config } = this.#start
    for (const group of this.groups.values()) {
      for (const address of group.hasReadPort ? group.replicas() : []) {
        const name = `${group.name} ${addressText(address)}`
        wanted.add(name)
        if (this.#probes.has(name)) continue
        const { log } = this.#start.port
        const home = { ...this.#streams(), maxLagMs: config.maxLagMs, login: this.#login, log }
        this.#probes.set(name, new ReplicaProbe(home, group, address))
      }
    }
    for (const [name, probe] of this.#probes) {
      if (wanted.has(name)) continue
      probe.end()
      this.#probes.delete(name)
    }
  }
}
