/**
 * While automatic failover of a group is paused, only an operator's order fails it over. A Sentinel
 * holds a pause from its `+pause` to its `-pause`, restarts included: it begins no failover by itself
 * and gives no vote to a candidate that began one. And a failover that began while a majority held the
 * pause, and went on holding it, finds no leader, whichever Sentinels have not heard of the pause.
 */
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import { UnsavedLives } from './unsaved-lives.ts'

export function pauseHolds(): Checker {
  const holds = new Holds()
  const begun = new Map<string, Candidacy>()
  return {
    name: 'a pause holds',
    observe: (happening) => {
      holds.note(happening)
      if (happening.kind === 'candidacy') {
        const { group, epoch, sentinelId } = happening
        begun.set(`${group} ${epoch} ${sentinelId}`, { happening, held: holds.of(group) })
        return beginsInPause(happening, holds)
      }
      if (happening.kind === 'vote') {
        const { group, epoch, leader } = happening
        return votesInPause(happening, begun.get(`${group} ${epoch} ${leader}`), holds)
      }
      if (happening.kind !== 'leader') return undefined
      const { group, epoch, sentinelId } = happening
      return leadsInPause(happening, begun.get(`${group} ${epoch} ${sentinelId}`), holds)
    },
  }
}

type Stood = Happening & { readonly kind: 'candidacy' }
type Voted = Happening & { readonly kind: 'vote' }
type Leads = Happening & { readonly kind: 'leader' }

interface Candidacy {
  readonly happening: Stood
  /** The holds on the group at that moment. */
  readonly held: ReadonlySet<Hold>
}

interface Hold {
  readonly process: string
  readonly group: string
}

function beginsInPause(stood: Stood, holds: Holds): string | undefined {
  const { process = '', group, isPlanned, epoch } = stood
  if (isPlanned === true || !holds.has(process, group)) return undefined
  return `${process} begins a failover of ${group} in epoch ${epoch} although it holds a pause`
}

/** A vote is told again when it is asked for again: only one for a failover that began in the pause counts. */
function votesInPause(
  vote: Voted,
  candidacy: Candidacy | undefined,
  holds: Holds,
): string | undefined {
  const { process = '', group, epoch } = vote
  const hold = holds.get(process, group)
  if (candidacy === undefined || candidacy.happening.isPlanned === true) return undefined
  if (hold === undefined || !candidacy.held.has(hold)) return undefined
  return `${process} votes in epoch ${epoch} of ${group} although it holds a pause`
}

function leadsInPause(
  leader: Leads,
  candidacy: Candidacy | undefined,
  holds: Holds,
): string | undefined {
  const { process = '', group, epoch, electorate } = leader
  if (candidacy === undefined || electorate === undefined) return undefined
  if (candidacy.happening.isPlanned === true) return undefined
  const still = holds.of(group)
  const held = [...candidacy.held].filter((hold) => still.has(hold)).length
  if (held < Math.floor(electorate.known / 2) + 1) return undefined
  return `${process} leads ${group} in epoch ${epoch} although ${held} Sentinels hold a pause`
}

class Holds {
  /** By process and group. */
  readonly #holds = new Map<string, Hold>()
  readonly #unsaved = new UnsavedLives()

  note(happening: Happening): void {
    const forgetful = this.#unsaved.endedWith(happening)
    if (forgetful !== undefined) this.#forget(forgetful)
    if (happening.kind === 'fault') this.#noteFault(happening)
    const { process } = happening
    if (happening.kind !== 'event' || process === undefined) return
    const { name, payload } = happening
    const group = payload.split(' ')[1] ?? ''
    const key = `${process} ${group}`
    if (name === '-pause' || name === '-monitor') this.#holds.delete(key)
    // It is announced again after a restart: that is the same hold.
    if (name === '+pause' && !this.#holds.has(key)) this.#holds.set(key, { process, group })
  }

  has(process: string, group: string): boolean {
    return this.get(process, group) !== undefined
  }

  get(process: string, group: string): Hold | undefined {
    return this.#holds.get(`${process} ${group}`)
  }

  of(group: string): ReadonlySet<Hold> {
    return new Set([...this.#holds.values()].filter((hold) => hold.group === group))
  }

  /** Without its files a process knows of no pause; a machine that moves may come back so. */
  #noteFault({ action }: Happening & { readonly kind: 'fault' }): void {
    if (action?.kind === 'restart' && action.disk === 'empty') {
      for (const process of action.processes) this.#forget(process)
    }
    if (action?.kind === 'readdress' && action.disk === 'empty') this.#holds.clear()
  }

  #forget(process: string): void {
    for (const [key, hold] of this.#holds) if (hold.process === process) this.#holds.delete(key)
  }
}
