/**
 * What a Sentinel lost sight of, from its own record: since when an instance was silent, whether its kernel said that the
 * process is gone, and when it answered again; and how late the answers were that came. All times are of the
 * monotonic clock of that Sentinel.
 */
import { hostAndPort } from '../../base/ip.ts'
import type { AnnouncedEvent } from '../../core/announced-event.ts'
import { type Instance, isSdown, type State } from '../../core/state.ts'
import type { PlayedStep } from '../player.ts'

export interface LostContact {
  /** `host:port`. */
  readonly address: string
  readonly role: Instance['kind']
  /** It was still well then. */
  readonly wellAtMs: number
  /** When its connection ended, which is when its process died; undefined: it did not end. */
  readonly endedAtMs: number | undefined
  /** It owed an answer from then on. */
  readonly owedSinceMs: number
  /** When the Sentinel held it down. */
  readonly sdownAtMs: number
  /** A kernel refused connections for it meanwhile: its process was dead. */
  readonly isRefused: boolean
  /** Undefined: it had not answered again when the record ends. */
  backAtMs: number | undefined
}

/** An instance that did not answer. */
export interface Absence {
  readonly address: string
  /** It was held down meanwhile, or a kernel refused connections for it. Otherwise only its connection ended. */
  isSure: boolean
  /** When its connection ended; if it did not end, since when it owed an answer. */
  readonly fromMs: number
  /** The first answer after it; undefined: there was none until the record ends. */
  untilMs: number | undefined
}

/** Sooner answers are none that any setting would call late. */
const LATE_MS = 100

export class ContactLog {
  readonly lost: LostContact[] = []
  readonly absences: Absence[] = []
  /** How late the late answers were. */
  readonly lateMs: number[] = []
  /** By the milliseconds that a PING took: how many took so long. */
  readonly trips = new Map<number, number>()
  /** The address of each link. */
  readonly #links = new Map<number, string>()
  readonly #up = new Set<number>()
  /** The addresses that were held down and have not answered since. */
  readonly #down = new Set<string>()
  // By address: the last answer to a PING, since when one is owed, when a connection ended since the last answer, and when
  // one was refused.
  readonly #wellAt = new Map<string, number>()
  readonly #owedSince = new Map<string, number>()
  readonly #endedAt = new Map<string, number>()
  readonly #refusedAt = new Map<string, number>()
  /** The absences that are not over. */
  readonly #absent = new Map<string, Absence>()

  /** What was down already when the record begins. */
  begin(state: State): void {
    for (const group of state.groups.values()) {
      for (const one of [group.master, ...group.replicas.values(), ...group.peers.values()]) {
        const owedSinceMs = one.link.pingPendingSinceMs
        if (!isSdown(one) || owedSinceMs === undefined) continue
        const address = hostAndPort(one.host, one.port)
        this.#owedSince.set(address, owedSinceMs)
        this.#down.add(address)
        this.#miss(address, owedSinceMs)
      }
    }
  }

  note({ state, now: { monoMs }, event, effects }: PlayedStep): void {
    if (event.kind === 'linkUp') this.#up.add(event.link)
    if (event.kind === 'linkLost') this.#linkLost(event.link, event.isRefused, monoMs)
    if (event.kind === 'reply' && event.purpose.kind === 'ping')
      this.#answered(state, event.link, monoMs)
    for (const effect of effects) {
      if (effect.kind === 'openLink')
        this.#links.set(effect.link, hostAndPort(effect.host, effect.port))
      if (effect.kind === 'send' && effect.purpose.kind === 'ping')
        this.#asked(state, effect.link, monoMs)
      if (effect.kind === 'log' && effect.event !== undefined)
        this.#said(state, effect.event, monoMs)
    }
  }

  #asked(state: State, link: number, monoMs: number): void {
    const address = this.#addressOf(state, link)
    if (address !== undefined && !this.#owedSince.has(address)) this.#owedSince.set(address, monoMs)
  }

  #answered(state: State, link: number, monoMs: number): void {
    const address = this.#addressOf(state, link)
    if (address === undefined) return
    this.#up.add(link)
    const sinceMs = this.#owedSince.get(address)
    this.#owedSince.delete(address)
    this.#endedAt.delete(address)
    this.#wellAt.set(address, monoMs)
    this.#met(address, monoMs)
    // Who was held down already is no news, however late his answer is.
    if (this.#down.delete(address) || sinceMs === undefined) return
    const tripMs = monoMs - sinceMs
    this.trips.set(tripMs, (this.trips.get(tripMs) ?? 0) + 1)
    if (tripMs >= LATE_MS) this.lateMs.push(tripMs)
  }

  /** A link that was opened before the record began is known by its owner. */
  #addressOf(state: State, link: number): string | undefined {
    const [owner] = state.connections.get(link)?.link.owners ?? []
    if (owner !== undefined) this.#links.set(link, hostAndPort(owner.host, owner.port))
    return this.#links.get(link)
  }

  #linkLost(link: number, isRefused: boolean, monoMs: number): void {
    const address = this.#links.get(link)
    this.#links.delete(link)
    if (address === undefined) return
    if (isRefused) this.#refusedAt.set(address, monoMs)
    else if (this.#up.has(link) && !this.#endedAt.has(address)) this.#endedAt.set(address, monoMs)
    if (this.#endedAt.has(address)) this.#miss(address, monoMs, false)
    this.#up.delete(link)
    if (!this.#owedSince.has(address)) this.#owedSince.set(address, monoMs)
    if (isRefused) this.#miss(address, monoMs)
  }

  #miss(address: string, nowMs: number, isSure = true): void {
    const known = this.#absent.get(address)
    if (known !== undefined) known.isSure ||= isSure
    if (known !== undefined) return
    const fromMs = this.#endedAt.get(address) ?? this.#owedSince.get(address) ?? nowMs
    const absence: Absence = { address, isSure, fromMs, untilMs: undefined }
    this.#absent.set(address, absence)
    this.absences.push(absence)
  }

  #met(address: string, monoMs: number): void {
    const absence = this.#absent.get(address)
    if (absence !== undefined) absence.untilMs = monoMs
    this.#absent.delete(address)
  }

  #said(state: State, { name, instance, group }: AnnouncedEvent, monoMs: number): void {
    if (instance === undefined || group === undefined) return
    const address = hostAndPort(instance.host, instance.port)
    if (name === '-sdown') {
      const open = this.lost.findLast((one) => one.address === address)
      if (open !== undefined) open.backAtMs ??= monoMs
    }
    if (name !== '+sdown') return
    this.#down.add(address)
    const owedSinceMs = this.#owedSince.get(address) ?? monoMs
    const wellAtMs = this.#wellAt.get(address) ?? owedSinceMs
    // A master may be held down and answer: it refuses writes, or has lost its data.
    const { downAfterMs = 0 } = state.groups.get(group.name)?.config ?? {}
    if (monoMs - owedSinceMs >= downAfterMs) this.#miss(address, monoMs)
    this.lost.push({
      ...{ address, role: instance.role, sdownAtMs: monoMs },
      ...{ wellAtMs, owedSinceMs, endedAtMs: this.#endedAt.get(address), backAtMs: undefined },
      isRefused: (this.#refusedAt.get(address) ?? Number.NEGATIVE_INFINITY) >= wellAtMs,
    })
  }
}
