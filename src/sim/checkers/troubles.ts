/**
 * Whom faults touch, and until when that can be felt. A checker that says "this should not have
 * happened" has to know first that nothing was in the way, so everything here errs towards trouble:
 * a fault counts until it is taken back, and for some time after that.
 */
import type { Action } from '../action.ts'
import type { Happening } from '../happening.ts'
import { LinkConditions } from '../link-conditions.ts'
import type { ProcessStatus } from '../process.ts'
import { Reachability } from '../reachability.ts'
import type { Topology } from '../topology.ts'
import { Trouble } from './trouble.ts'

const AFTERMATH_MS = 2_000
/** What a command set off may go on for some time: a pause, a synchronisation, another role. */
const COMMAND_MS = 60_000
/** TILT, which a jump of the clock may cause, and some time to find the way back. */
const JUMP_MS = 35_000

export class Troubles {
  readonly #hostOf: ReadonlyMap<string, string>
  readonly #processes: ReadonlyMap<string, Trouble>
  readonly #ways: readonly Way[]
  readonly #reachability = new Reachability()
  readonly #conditions = new LinkConditions()
  readonly #fastest = new Map<string, number>()

  constructor(topology: Topology) {
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

  /** It runs, and nothing has been in its way since then. */
  isCalm(process: string, sinceMs: number): boolean {
    return this.#processes.get(process)?.isOver(sinceMs) === true
  }

  /** Nothing has been in the way between the two since then, in either direction. */
  isWayCalm(a: string, b: string, sinceMs: number): boolean {
    const [from, to] = [this.#hostOf.get(a), this.#hostOf.get(b)]
    if (from === undefined || to === undefined) return false
    if (from === to) return true
    return this.#ways.some((way) => joins(way, from, to) && way.trouble.isOver(sinceMs))
  }

  /** What one process sends to the other now arrives without delay. */
  passes(from: string, to: string): boolean {
    const [here, there] = [this.#hostOf.get(from) ?? '', this.#hostOf.get(to) ?? '']
    return this.#reachability.passes(here, there) && !this.#reachability.holds(here, there)
  }

  /** What the one wants to open to the other is refused on the way. */
  refuses(from: string, to: string): boolean {
    return this.#reachability.refuses(this.#hostOf.get(from) ?? '', this.#hostOf.get(to) ?? '')
  }

  /** Somebody gave it other rules than the topology says, or other addresses. */
  hasOtherRules(process: string): boolean {
    const trouble = this.#processes.get(process)
    return trouble?.has('rules') === true || trouble?.has('moved') === true
  }

  /** How many seconds of its own a true second had for it, at the most; 1 or more. */
  fastestClock(process: string): number {
    return this.#fastest.get(process) ?? 1
  }

  #changed(atMs: number, process: string, status: ProcessStatus): void {
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
    else if (this.#rewired(action)) this.#lookAtWays(atMs)
    else this.#doneToProcess(atMs, action)
  }

  #rewired(action: Action): boolean {
    if (action.kind === 'partition') this.#reachability.partition(action.groups)
    else if (action.kind === 'cut') this.#reachability.cut(action.from, action.to)
    else if (action.kind === 'hold') this.#reachability.hold(action.from, action.to)
    else if (action.kind === 'refuse') this.#reachability.refuse(action.from, action.to)
    else if (action.kind === 'release') this.#reachability.release()
    else if (action.kind === 'heal') this.#heal()
    else if (action.kind === 'shape') {
      this.#conditions.shape(action.from, action.to, action.shape)
    } else return false
    return true
  }

  #heal(): void {
    this.#reachability.heal()
    this.#conditions.heal()
  }

  #doneToProcess(atMs: number, action: Action): void {
    const of = (process: string): Trouble | undefined => this.#processes.get(process)
    if (action.kind === 'stall') {
      const untilMs = atMs + action.forMs + AFTERMATH_MS
      for (const process of action.processes) of(process)?.touch(untilMs)
    } else if (action.kind === 'clockJump') of(action.process)?.touch(atMs + JUMP_MS)
    else if (action.kind === 'clockDrift') {
      this.#fastest.set(action.process, Math.max(action.rate, this.fastestClock(action.process)))
      if (action.rate === 1) of(action.process)?.end('drift', atMs)
      else of(action.process)?.begin('drift', atMs)
    } else if (action.kind === 'stop') {
      // Until it is gone it holds writes back, and with our hellos the PINGs behind them.
      for (const process of action.processes) of(process)?.begin('stopping', atMs)
    } else if (action.kind === 'failDisk') of(action.process)?.begin('disk', atMs)
    else if (action.kind === 'repairDisk') of(action.process)?.end('disk', atMs)
    else if (action.kind === 'command') {
      of(action.process)?.touch(atMs + COMMAND_MS)
      if (changesRules(action.argv)) of(action.process)?.begin('rules', atMs)
    }
  }

  /** Who has another address is a stranger to those who knew the old one, for ever. */
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
    const reach = this.#reachability
    if (!reach.passes(from, to) || reach.holds(from, to) || reach.refuses(from, to)) return false
    return Object.keys(this.#conditions.of(from, to) ?? {}).length === 0
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

/** Whoever has not been started yet. */
function unborn(): Trouble {
  const trouble = new Trouble()
  trouble.begin('down', 0)
  return trouble
}

/** After these a Sentinel or a node goes by other rules than the topology says. */
function changesRules(argv: readonly string[]): boolean {
  const words = argv.map((word) => word.toUpperCase())
  if (words[0] === 'CONFIG') return words[1] === 'SET'
  return words[0] === 'SENTINEL' && ['SET', 'MONITOR', 'REMOVE', 'RESET'].includes(words[1] ?? '')
}
