/**
 * Epochs order every decision for ever. So the numbers that a Sentinel tells only rise, across its restarts too,
 * and a config epoch stands for one master.
 */
import type { Address } from '../../base/ip.ts'
import type { Action } from '../action.ts'
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import { RolledBack } from './rolled-back.ts'
import { readSubject } from './sentinel-past.ts'
import { UnsavedLives } from './unsaved-lives.ts'

/**
 * The config epoch that a Sentinel announces for a group never falls, not even across its restarts.
 */
export function configEpochsRise(): Checker {
  const told = new Map<string, number>()
  const unsaved = new UnsavedLives()
  return {
    name: 'config epochs never fall',
    observe: (happening) => {
      const forgetful = unsaved.endedWith(happening)
      for (const key of told.keys()) if (key.startsWith(`${forgetful} `)) told.delete(key)
      if (happening.kind === 'event' && happening.name === '-monitor')
        forgetRemoved(told, happening)
      if (happening.kind !== 'hello') return undefined
      const { process, sentinelId, group, configEpoch } = happening
      const key = `${process} ${sentinelId} ${group}`
      const before = told.get(key) ?? 0
      told.set(key, Math.max(before, configEpoch))
      if (configEpoch >= before) return undefined
      return `${sentinelId} tells epoch ${configEpoch} of ${group} after epoch ${before}`
    },
  }
}

/** A group that is removed and added again begins with what the operator says of it. */
function forgetRemoved(told: Map<string, number>, { process, payload }: Published): void {
  const { group } = readSubject(payload) ?? {}
  for (const key of told.keys()) {
    if (key.startsWith(`${process} `) && key.endsWith(` ${group}`)) told.delete(key)
  }
}

type Published = Happening & { readonly kind: 'event' }

/**
 * A config epoch stands for one master: every Sentinel that announces it, at any time, announces
 * the same node, wherever it has moved meanwhile. Failovers that operators force need no votes, so two of them on both sides of a
 * partition can take the same epoch, as can a forced and an elected one; Sentinels settle that when
 * they hear of each other. A liar's hello cannot be told from that of a leader: Sentinels pass on
 * what it names, in whatever epoch.
 */
export function configEpochsNameOneMaster(nameOf: (address: Address) => string): Checker {
  const masters = new Map<string, string>()
  const forced = new ForcedEpochs()
  return {
    name: 'a config epoch names one master',
    observe: (happening) => {
      forced.note(happening)
      if (happening.kind !== 'hello') return undefined
      const { group, configEpoch } = happening
      const key = `${group} ${configEpoch}`
      const master = nameOf(happening.master)
      const known = masters.get(key) ?? master
      masters.set(key, known)
      if (known === master || forced.isShared(group, configEpoch)) return undefined
      return `epoch ${configEpoch} of ${group} names ${known} and ${master}`
    },
  }
}

/** Epochs that more than one Sentinel took, at least one of them because an operator forced it. */
class ForcedEpochs {
  /** By group and epoch: which Sentinels stood, and whether they were forced. */
  readonly #candidates = new Map<string, Map<string, boolean>>()
  readonly #rolledBack = new RolledBack()
  /** Whether a liar has named a master in a config epoch that no Sentinel had told it of that master. */
  #isLiedAbout = false
  /** Whether a host has moved, or an operator has said anew who is master: the files do not agree any more. */
  #hasMoved = false

  note(happening: Happening): void {
    this.#rolledBack.note(happening)
    if (happening.kind === 'fault') {
      this.#hasMoved ||= happening.action?.kind === 'readdress' || isMonitor(happening.action)
      this.#isLiedAbout ||= makesUpMaster(happening.action)
    }
    if (happening.kind !== 'candidacy') return
    const { group, epoch, sentinelId, forced } = happening
    const key = `${group} ${epoch}`
    const candidates = this.#candidates.get(key) ?? new Map<string, boolean>()
    this.#candidates.set(key, candidates.set(sentinelId, forced))
  }

  isShared(group: string, epoch: number): boolean {
    if (this.#isLiedAbout || this.#rolledBack.mayHaveTwoLeaders(epoch)) return true
    if (epoch === 0) return this.#hasMoved
    const candidates = this.#candidates.get(`${group} ${epoch}`)
    if (candidates === undefined || candidates.size < 2) return false
    return [...candidates.values()].includes(true)
  }
}

function isMonitor(action: Action | undefined): boolean {
  return action?.kind === 'command' && action.argv[1]?.toUpperCase() === 'MONITOR'
}

/** What was heard last belongs together: the master and its config epoch. */
function makesUpMaster(action: Action | undefined): boolean {
  if (action?.kind !== 'lie' || action.lie.kind !== 'hello') return false
  return action.lie.master !== undefined || action.lie.configEpoch !== 'config'
}

type Telling = Happening & { readonly kind: 'hello' | 'vote' }

/**
 * The highest epoch that a Sentinel announces never falls, not even across its restarts: it could
 * be used again.
 */
export function currentEpochsRise(): Checker {
  const told = new Map<string, number>()
  const unsaved = new UnsavedLives()
  return {
    name: 'current epochs never fall',
    observe: (happening) => {
      const forgetful = unsaved.endedWith(happening)
      for (const key of told.keys()) if (key.startsWith(`${forgetful} `)) told.delete(key)
      if (happening.kind !== 'hello' && happening.kind !== 'vote') return undefined
      const epoch = epochIn(happening)
      const key = `${happening.process} ${happening.sentinelId}`
      const before = told.get(key) ?? 0
      told.set(key, Math.max(before, epoch ?? 0))
      // An old vote may be repeated; it says nothing about the current epoch.
      if (epoch === undefined || epoch >= before || happening.kind === 'vote') return undefined
      return `${happening.sentinelId} is in epoch ${epoch} after epoch ${before}`
    },
  }
}

function epochIn(happening: Telling): number | undefined {
  return happening.kind === 'vote' ? happening.epoch : happening.currentEpoch
}
