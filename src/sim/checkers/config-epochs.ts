import type { Address, Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import { UnsavedLives } from './unsaved-lives.ts'

/** The epoch a Sentinel tells for a group never falls, its restarts included. */
export function configEpochsRise(): Checker {
  const told = new Map<string, number>()
  const unsaved = new UnsavedLives()
  return {
    name: 'config epochs never fall',
    observe: (happening) => {
      const forgetful = unsaved.endedWith(happening)
      for (const key of told.keys()) if (key.startsWith(`${forgetful} `)) told.delete(key)
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

/**
 * A config epoch stands for one master: whoever tells it, whenever, tells the same address. Failovers
 * that operators force are asked of nobody, so two of them on both sides of a partition can take the
 * same epoch, as can a forced and an elected one; Sentinels settle that when they hear of each other.
 */
export function configEpochsNameOneMaster(): Checker {
  const masters = new Map<string, string>()
  const forced = new ForcedEpochs()
  return {
    name: 'a config epoch names one master',
    observe: (happening) => {
      forced.note(happening)
      if (happening.kind !== 'hello') return undefined
      const { group, configEpoch } = happening
      const key = `${group} ${configEpoch}`
      const address = textOf(happening.master)
      const known = masters.get(key) ?? address
      masters.set(key, known)
      if (known === address || forced.isShared(group, configEpoch)) return undefined
      return `epoch ${configEpoch} of ${group} names ${known} and ${address}`
    },
  }
}

/** Epochs that more than one Sentinel took, at least one of them because it was told to. */
class ForcedEpochs {
  /** By group and epoch: who stood, and whether it was forced. */
  readonly #candidates = new Map<string, Map<string, boolean>>()
  /** A host has moved: the addresses in the files are not those of the run any more. */
  #hasMoved = false

  note(happening: Happening): void {
    if (happening.kind === 'fault') this.#hasMoved ||= happening.action?.kind === 'readdress'
    if (happening.kind !== 'candidacy') return
    const { group, epoch, sentinelId, forced } = happening
    const key = `${group} ${epoch}`
    const candidates = this.#candidates.get(key) ?? new Map<string, boolean>()
    this.#candidates.set(key, candidates.set(sentinelId, forced))
  }

  isShared(group: string, epoch: number): boolean {
    if (epoch === 0) return this.#hasMoved
    const candidates = this.#candidates.get(`${group} ${epoch}`)
    if (candidates === undefined || candidates.size < 2) return false
    return [...candidates.values()].includes(true)
  }
}

function textOf(address: Address): string {
  return `${address.host}:${address.port}`
}
