/**
 * Which processes are affected by faults, and for how long. A checker that says "this should not
 * have happened" must first know that nothing was in the way, so everything here errs towards
 * trouble: a fault counts until it is taken back, and for some time after that.
 */

import { type Action, AFTERMATH_MS, feltOf, namesIn } from '../action.ts'
import type { Happening, ProcessStatus } from '../happening.ts'
import { durationOf } from '../lie.ts'
import type { Topology } from '../topology.ts'
import { Wiring } from '../wiring.ts'

export class Troubles {
  readonly #hostOf: ReadonlyMap<string, string>
  readonly #processes: ReadonlyMap<string, Trouble>
  readonly #ways: readonly Way[]
  readonly #wiring = new Wiring()
  readonly #fastest = new Map<string, number>()
  readonly #liars: ReadonlySet<string>
  /**
   * How long a lie has effects: a Sentinel that was made to vote gives its candidate two
   * failover-timeouts.
   */
  readonly #yieldMs: number
  #hasFalseOpinions = false

  constructor(topology: Topology) {
    this.#liars = new Set(topology.liars.map(({ name }) => name))
    const timeouts = topology.groups.map(({ failoverTimeoutMs }) => failoverTimeoutMs)
    this.#yieldMs = 2 * Math.max(0, ...timeouts) + AFTERMATH_MS
    const all = [...topology.nodes, ...topology.sentinels, ...topology.clients]
    this.#hostOf = new Map(all.map(({ name, host }) => [name, host]))
    this.#processes = new Map(all.map(({ name }) => [name, unborn()]))
    this.#ways = waysBetween([...new Set(this.#hostOf.values())])
  }

  note(happening: Happening): void {
    const { atMs, process } = happening
    if (happening.kind === 'fault' && happening.action !== undefined) {
      this.#done(atMs, happening.action)
    } else if (happening.kind === 'status' && process !== undefined) {
      this.#changed(atMs, process, happening.status)
    }
  }

  /** Whether the process runs, and has not been affected by a fault since then. */
  isCalm(process: string, sinceMs: number): boolean {
    return this.#processes.get(process)?.isOver(sinceMs) === true
  }

  /** Whether no fault has affected the paths between the two since then, in either direction. */
  isWayCalm(a: string, b: string, sinceMs: number): boolean {
    const [from, to] = [this.#hostOf.get(a), this.#hostOf.get(b)]
    if (from === undefined || to === undefined) return false
    if (from === to) return true
    return this.#ways.some((way) => joins(way, from, to) && way.trouble.isOver(sinceMs))
  }

  /** Whether what one process sends to the other now arrives without delay. */
  passes(from: string, to: string): boolean {
    const [here, there] = [this.#hostOf.get(from) ?? '', this.#hostOf.get(to) ?? '']
    return (
      this.#wiring.reachability.passes(here, there) && !this.#wiring.reachability.holds(here, there)
    )
  }

  /** Whether connections from the one to the other are refused on the way. */
  refuses(from: string, to: string): boolean {
    return this.#wiring.reachability.refuses(
      this.#hostOf.get(from) ?? '',
      this.#hostOf.get(to) ?? '',
    )
  }

  /** Whether the process was given other rules than the topology's, or another address. */
  hasOtherRules(process: string): boolean {
    const trouble = this.#processes.get(process)
    return trouble?.has('rules') === true || trouble?.has('moved') === true
  }

  /** How many seconds passed at most on the process's clock in a true second; 1 or more. */
  fastestClock(process: string): number {
    return this.#fastest.get(process) ?? 1
  }

  /**
   * Whether a liar has said, with its own voice or in another Sentinel's name, that a master is
   * down.
   */
  get hasFalseOpinions(): boolean {
    return this.#hasFalseOpinions
  }

  #changed(atMs: number, process: string, status: ProcessStatus): void {
    if (this.#liars.has(process) && status === 'down') {
      for (const trouble of this.#processes.values()) trouble.endBy(process, atMs + this.#yieldMs)
    }
    const trouble = this.#processes.get(process)
    if (status === 'running') {
      trouble?.end('down', atMs)
      trouble?.end('paused', atMs)
      trouble?.end('stopping', atMs)
    } else trouble?.begin(status, atMs)
  }

  #done(atMs: number, action: Action): void {
    if (action.kind === 'reset') {
      const { host, peer } = action
      this.#waysOf(host, peer, (trouble) => trouble.touch(atMs + AFTERMATH_MS))
    } else if (action.kind === 'readdress') this.#moved(atMs, action.host)
    else if (this.#wiring.apply(action)) this.#lookAtWays(atMs)
    else this.#doneToProcess(atMs, action)
  }

  #doneToProcess(atMs: number, action: Action): void {
    if (action.kind === 'lie') return this.#lied(atMs, action)
    if (action.kind === 'clockDrift') {
      this.#fastest.set(action.process, Math.max(action.rate, this.fastestClock(action.process)))
    }
    const { begins, ends, forMs } = feltOf(action) ?? {}
    for (const name of namesIn(action)) {
      const trouble = this.#processes.get(name)
      if (begins !== undefined) trouble?.begin(begins, atMs)
      if (ends !== undefined) trouble?.end(ends, atMs)
      if (forMs !== undefined) trouble?.touch(atMs + forMs)
    }
  }

  /**
   * What a liar said to one process is passed on to all; its answers matter as long as it lives.
   */
  #lied(atMs: number, { process, lie }: Action & { readonly kind: 'lie' }): void {
    if (lie.kind === 'answer') this.#hasFalseOpinions ||= lie.isDown
    for (const trouble of this.#processes.values()) {
      if (lie.kind === 'answer') trouble.begin(process, atMs)
      else trouble.touch(atMs + durationOf(lie) + this.#yieldMs)
    }
  }

  /** A process with another address is a stranger, for ever, to those that knew the old one. */
  #moved(atMs: number, host: string): void {
    this.#waysOf(host, undefined, (trouble) => trouble.begin('moved', atMs))
    for (const [process, home] of this.#hostOf) {
      if (home === host) this.#processes.get(process)?.begin('moved', atMs)
    }
  }

  #lookAtWays(atMs: number): void {
    for (const { hosts, trouble } of this.#ways) {
      const [a, b] = hosts
      if (this.#isClear(a, b) && this.#isClear(b, a)) trouble.end('network', atMs)
      else trouble.begin('network', atMs)
    }
  }

  #isClear(from: string, to: string): boolean {
    const reach = this.#wiring.reachability
    if (!reach.passes(from, to) || reach.holds(from, to) || reach.refuses(from, to)) return false
    return Object.keys(this.#wiring.conditions.of(from, to) ?? {}).length === 0
  }

  #waysOf(host: string, peer: string | undefined, act: (trouble: Trouble) => void): void {
    for (const { hosts, trouble } of this.#ways) {
      if (hosts.includes(host) && (peer === undefined || hosts.includes(peer))) act(trouble)
    }
  }
}

interface Way {
  readonly hosts: readonly [string, string]
  readonly trouble: Trouble
}

function waysBetween(hosts: readonly string[]): readonly Way[] {
  return hosts.flatMap((a, index) =>
    hosts.slice(index + 1).map((b): Way => ({ hosts: [a, b], trouble: new Trouble() })),
  )
}

function joins({ hosts }: Way, a: string, b: string): boolean {
  return hosts.includes(a) && hosts.includes(b)
}

/** A process that has not been started yet. */
function unborn(): Trouble {
  const trouble = new Trouble()
  trouble.begin('down', 0)
  return trouble
}
/**
 * What is wrong with one process, or with the path between two hosts, and until when it has
 * effects.
 */
class Trouble {
  /** Since when each current cause has existed. */
  readonly #standing = new Map<string, number>()
  #feltUntilMs = Number.NEGATIVE_INFINITY

  begin(cause: string, atMs: number): void {
    if (!this.#standing.has(cause)) this.#standing.set(cause, atMs)
  }

  /** Whether this cause exists now. */
  has(cause: string): boolean {
    return this.#standing.has(cause)
  }

  /**
   * Ends a cause. The waits between attempts have grown to as long as it lasted, and have to pass
   * first.
   */
  end(cause: string, atMs: number): void {
    const sinceMs = this.#standing.get(cause)
    if (sinceMs === undefined) return
    this.#standing.delete(cause)
    this.touch(atMs + (atMs - sinceMs) + AFTERMATH_MS)
  }

  /** Ends a cause whose effects are known to last until then. */
  endBy(cause: string, untilMs: number): void {
    if (this.#standing.delete(cause)) this.touch(untilMs)
  }

  /** Notes a momentary event, whose effects last until then. */
  touch(untilMs: number): void {
    this.#feltUntilMs = Math.max(this.#feltUntilMs, untilMs)
  }

  /** Whether every cause was over by then, and none has come since. */
  isOver(byMs: number): boolean {
    return this.#standing.size === 0 && this.#feltUntilMs < byMs
  }
}
