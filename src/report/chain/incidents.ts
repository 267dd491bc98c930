/**
 * What the Sentinels went through, in order: an incident is a master that was suspected, or that an
 * operator wanted replaced, with all its consequences until the group's next one.
 */

import {
  type AbortReason,
  type Electorate,
  type FailoverKind,
  type Happening,
  isAbort,
} from '../../history/happening.ts'
import type { RunHistory } from '../../scenario/world.ts'
import { type EventFacts, readEvent } from '../event-facts.ts'
import { createNaming, type Naming } from '../names.ts'

export interface SuspectedMaster {
  readonly group: string
  /** The node that was master. */
  readonly master: string
  readonly startMs: number
  /** `+sdown` of this master, the first from each Sentinel. */
  readonly suspicions: readonly Suspicion[]
  /** `+odown`, the first from each Sentinel. */
  readonly agreements: readonly Agreement[]
  readonly attempts: readonly Attempt[]
  readonly promotion: Promotion | undefined
  /** Each Sentinel's first `+switch-master` away from this master. */
  readonly switches: readonly Noticed[]
  /** When no Sentinel suspected it any more, without another node being promoted. */
  readonly recoveredAtMs: number | undefined
}

export interface Noticed {
  readonly atMs: number
  readonly sentinel: string
}

export interface Suspicion extends Noticed {
  /** As `+sdown-evidence` gives it; undefined: nothing gave one. */
  readonly reason: string | undefined
}

export interface Agreement extends Noticed {
  readonly agreeing: number
  readonly needed: number
}

export interface SelectedReplica {
  readonly atMs: number
  readonly node: string
}

/** One Sentinel's attempt at a failover. */
export interface Attempt extends Noticed {
  readonly epoch: number | undefined
  /** How it came about; undefined: it is not known. */
  readonly kind: FailoverKind | undefined
  /** The Sentinels that counted; undefined: it is not on record. */
  readonly electorate: Electorate | undefined
  readonly votes: readonly Noticed[]
  readonly electedAtMs: number | undefined
  readonly selected: SelectedReplica | undefined
  /** Selected before it, in the same attempt. */
  readonly passedOver: readonly SelectedReplica[]
  /** Name of the event that ended it in vain. */
  readonly aborted: { readonly atMs: number; readonly event: AbortReason } | undefined
}

export interface Promotion extends Noticed {
  readonly node: string
  /** No Sentinel said that it promoted the node; this one was the first to take it for the master. */
  readonly isHearsay: boolean
}

/** What a `+try-failover` tells beside its text. */
interface Beginning {
  readonly failover?: FailoverKind
  readonly electorate?: Electorate
}

type Draft<T> = { -readonly [Key in keyof T]: T[Key] }

interface OpenAttempt extends Draft<Omit<Attempt, 'votes' | 'passedOver'>> {
  readonly votes: Noticed[]
  readonly passedOver: SelectedReplica[]
}

interface OpenIncident
  extends Draft<Omit<SuspectedMaster, 'suspicions' | 'agreements' | 'attempts' | 'switches'>> {
  readonly suspicions: Draft<Suspicion>[]
  readonly agreements: Agreement[]
  readonly attempts: OpenAttempt[]
  readonly switches: Noticed[]
  readonly suspecting: Set<string>
}

/** In the order of their beginnings. */
export function incidentsOf(history: RunHistory): readonly SuspectedMaster[] {
  const finder = new Finder(createNaming(history))
  for (const happening of history.happenings) finder.see(happening)
  return finder.incidents
}

class Finder {
  readonly incidents: OpenIncident[] = []
  readonly #naming: Naming
  /** The newest incident of each group. */
  readonly #current = new Map<string, OpenIncident>()
  /** The newest epoch each Sentinel announced. */
  readonly #epochs = new Map<string, number>()

  constructor(naming: Naming) {
    this.#naming = naming
  }

  see(happening: Happening): void {
    const { atMs, process: sentinel } = happening
    if (sentinel === undefined) return
    if (happening.kind === 'vote') {
      const leader = this.#naming.sentinel(happening.leader)
      this.#voted({ atMs, sentinel }, leader, happening.epoch)
    } else if (happening.kind === 'event') {
      const facts = readEvent(happening.name, happening.payload, this.#naming)
      this.#said({ atMs, sentinel }, facts, happening)
    } else if (happening.kind === 'status' && happening.status === 'down') {
      for (const incident of this.incidents) incident.suspecting.delete(sentinel)
    }
  }

  #said(by: Noticed, facts: EventFacts, how: Beginning): void {
    const { name, epoch, vote, group } = facts
    if (epoch !== undefined) this.#epochs.set(by.sentinel, epoch)
    if (vote !== undefined) this.#voted(by, vote.leader, vote.epoch)
    if (group === undefined) return
    if (facts.subject?.kind === 'master') {
      const master = facts.subject.name
      if (name === '+try-failover') this.#began(by, group, master, how)
      else this.#saidOfMaster(by, facts, group, master)
    }
    if (facts.switched !== undefined) this.#switched(group, by, facts.switched)
    const incident = this.#current.get(group)
    if (incident === undefined) return
    const node = facts.subject?.kind === 'replica' ? facts.subject.name : undefined
    if (name === '+selected-slave' && node !== undefined) {
      change(incident, by, (attempt) => {
        if (attempt.selected !== undefined) attempt.passedOver.push(attempt.selected)
        attempt.selected = { atMs: by.atMs, node }
      })
    }
    if (name === '+promoted-slave' && node !== undefined)
      incident.promotion ??= { ...by, node, isHearsay: false }
  }

  #saidOfMaster(
    by: Noticed,
    { name, quorum, reason }: EventFacts,
    group: string,
    master: string,
  ): void {
    const { atMs } = by
    if (name === '+sdown') {
      const incident = this.#open(group, master, atMs, true)
      incident.suspecting.add(by.sentinel)
      addFirst(incident.suspicions, { ...by, reason: undefined })
    } else if (name === '+sdown-evidence') {
      const own = this.#current
        .get(group)
        ?.suspicions.find(({ sentinel }) => sentinel === by.sentinel)
      // Said right behind +sdown; a later one belongs to a later +sdown of the same incident.
      if (own?.atMs === atMs) own.reason ??= this.#naming.text(reason ?? '')
    } else if (name === '-sdown') {
      this.#relieved(group, master, by)
    } else if (name === '+odown') {
      const counted = { agreeing: quorum?.agreeing ?? 0, needed: quorum?.needed ?? 0 }
      addFirst(this.#open(group, master, atMs, true).agreements, { ...by, ...counted })
    } else if (name === '+elected-leader') {
      change(this.#current.get(group), by, (attempt) => {
        attempt.electedAtMs = atMs
      })
    } else if (isAbort(name)) {
      change(this.#current.get(group), by, (attempt) => {
        attempt.aborted = { atMs, event: name }
      })
    }
  }

  #began(by: Noticed, group: string, master: string, how: Beginning): void {
    const incident = this.#open(group, master, by.atMs, false)
    incident.attempts.push(newAttempt(by, this.#epochs.get(by.sentinel), how))
  }

  /** A late suspicion of the old master belongs to the incident that replaced it. */
  #open(group: string, master: string, atMs: number, isSuspicion: boolean): OpenIncident {
    const known = this.#current.get(group)
    const isOver = known?.recoveredAtMs !== undefined || (!isSuspicion && isDone(known))
    if (known !== undefined && known.master === master && !isOver) return known
    const incident = newIncident(group, master, atMs)
    this.incidents.push(incident)
    this.#current.set(group, incident)
    return incident
  }

  #relieved(group: string, master: string, { atMs, sentinel }: Noticed): void {
    const incident = this.#current.get(group)
    if (incident?.master !== master || !incident.suspecting.delete(sentinel)) return
    if (incident.suspecting.size > 0 || incident.promotion !== undefined) return
    incident.recoveredAtMs ??= atMs
  }

  /** A Sentinel that was cut off may hear of it after the next incident has begun. */
  #switched(group: string, by: Noticed, { from, to }: { from: string; to: string }): void {
    if (from === to) return
    const known = this.incidents.findLast((one) => one.group === group && one.master === from)
    const incident =
      known === undefined || this.#isAnother(known, by)
        ? this.#open(group, from, by.atMs, false)
        : known
    addFirst(incident.switches, by)
    // The Sentinel that promotes may die before it can say so, or keep no record.
    incident.promotion ??= { ...by, node: to, isHearsay: true }
  }

  /** Whether a switch is of a later failover than this one, of the same master, of which no event has told so far. */
  #isAnother(known: OpenIncident, { sentinel }: Noticed): boolean {
    const current = this.#current.get(known.group)
    const hasSwitched = known.switches.some((one) => one.sentinel === sentinel)
    return hasSwitched && known !== current && current?.promotion?.node === known.master
  }

  #voted(by: Noticed, leader: string, epoch: number): void {
    for (const { attempts } of this.incidents) {
      const attempt = attempts.find((one) => one.sentinel === leader && one.epoch === epoch)
      // A vote for an attempt that was given up does not count.
      if (attempt !== undefined && attempt.aborted === undefined) addFirst(attempt.votes, by)
    }
  }
}

function isDone(incident: OpenIncident | undefined): boolean {
  return incident?.promotion !== undefined
}

function addFirst<T extends Noticed>(list: T[], one: T): void {
  if (!list.some(({ sentinel }) => sentinel === one.sentinel)) list.push(one)
}

/** The newest attempt of that Sentinel, if one is under way. */
function change(
  incident: OpenIncident | undefined,
  { sentinel }: Noticed,
  apply: (attempt: OpenAttempt) => void,
): void {
  const attempt = incident?.attempts.findLast((one) => one.sentinel === sentinel)
  if (attempt !== undefined && attempt.aborted === undefined) apply(attempt)
}

function newAttempt(
  { atMs, sentinel }: Noticed,
  epoch: number | undefined,
  { failover: kind, electorate }: Beginning,
): OpenAttempt {
  const open = { electedAtMs: undefined, selected: undefined, aborted: undefined }
  return { atMs, sentinel, epoch, kind, electorate, votes: [], passedOver: [], ...open }
}

function newIncident(group: string, master: string, startMs: number): OpenIncident {
  return {
    ...{ group, master, startMs, suspicions: [], agreements: [], attempts: [], switches: [] },
    ...{ promotion: undefined, recoveredAtMs: undefined, suspecting: new Set<string>() },
  }
}
