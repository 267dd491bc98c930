/**
 * Which Sentinel held which master down, and until when. Sentinels believe an answer for five
 * seconds and ask every second, so a verdict that was taken back counts a little longer; if answers
 * may have been on their way for long, every verdict there ever was on this master counts.
 */

import type { Address } from '../../base/ip.ts'
import { eventWords, type Happening } from '../happening.ts'
import type { CheckerView } from './checker-view.ts'
import { MasterClaims } from './master-claims.ts'
import { readMasterEvent } from './master-event.ts'

const BELIEVED_MS = 7_500
const CALM_MS = 10_000

export type Candidacy = Happening & { readonly kind: 'candidacy' }

/** Which Sentinels have this master down at that moment, as far as that process can know? */
export interface OpenQuestion {
  readonly atMs: number
  readonly process: string
  readonly group: string
  readonly master: Address
}

export interface DownVerdict {
  readonly atMs: number
  /**
   * How long the Sentinel had heard nothing good from the master at that time; undefined if
   * unknown.
   */
  readonly silentMs: number | undefined
  /** Whether its reason was that the master lost its data, as a replica reports. */
  readonly isEmptied: boolean
  /** Whether its reason may have been that the master refuses writes. */
  readonly isGray: boolean
  /** Undefined while the verdict stands. */
  endMs: number | undefined
}

export class Verdicts {
  readonly #scene: CheckerView
  readonly #last = new Map<string, DownVerdict>()
  readonly #emptied = new MasterClaims('empty-master')
  readonly #gray = new MasterClaims('gray-master')

  constructor(scene: CheckerView) {
    this.#scene = scene
  }

  note(happening: Happening): void {
    const { atMs, process } = happening
    this.#emptied.note(happening)
    this.#gray.note(happening)
    if (process === undefined) return
    if (happening.kind === 'status' && happening.status === 'down') this.#endAll(process, atMs)
    if (happening.kind !== 'event') return
    // A switch silently ends verdicts.
    if (happening.name === '+switch-master') {
      const switched = eventWords('+switch-master', happening.payload)
      this.#endAll(`${process} ${switched?.group}`, atMs)
    }
    const subject = readMasterEvent(happening.payload)
    if (subject === undefined) return
    const { host, port } = subject.address
    const key = `${process} ${subject.group} ${host} ${port}`
    const { silentMs } = happening
    const isEmptied = this.#emptied.says(process, happening.payload)
    const isGray = this.#gray.says(process, happening.payload)
    if (happening.name === '-sdown') this.#end(key, atMs)
    else if (happening.name === '+sdown')
      this.#last.set(key, { atMs, silentMs, isEmptied, isGray, endMs: undefined })
  }

  /**
   * The verdicts of all Sentinels that really had the master down, as far as the process may count
   * them.
   */
  behind({ atMs, process, group, master }: OpenQuestion): ReadonlyMap<string, DownVerdict> {
    const about = `${group} ${master.host} ${master.port}`
    const found = new Map<string, DownVerdict>()
    for (const { name } of this.#scene.topology.sentinels) {
      const isStrict = this.#isPrompt(process, name, atMs - CALM_MS)
      const verdict = this.#since(name, about, isStrict ? atMs - BELIEVED_MS : 0)
      if (verdict !== undefined) found.set(name, verdict)
    }
    return found
  }

  /** Whether what the other said has arrived by now, if it ever does. */
  #isPrompt(me: string, other: string, sinceMs: number): boolean {
    const { troubles } = this.#scene
    if (!troubles.isCalm(me, sinceMs)) return false
    return me === other || troubles.isWayCalm(me, other, sinceMs)
  }

  /** The verdict, if the Sentinel held this master down at that time or later. */
  #since(sentinel: string, about: string, sinceMs: number): DownVerdict | undefined {
    const verdict = this.#last.get(`${sentinel} ${about}`)
    return (verdict?.endMs ?? sinceMs) >= sinceMs ? verdict : undefined
  }

  #endAll(whose: string, atMs: number): void {
    for (const key of this.#last.keys()) if (key.startsWith(`${whose} `)) this.#end(key, atMs)
  }

  #end(key: string, atMs: number): void {
    const verdict = this.#last.get(key)
    if (verdict !== undefined) verdict.endMs ??= atMs
  }
}

/** Whether the Sentinels began it by themselves: an operator may replace a master that is well. */
export function isAutomatic({ forced, isPlanned }: Candidacy): boolean {
  return !forced && isPlanned !== true
}
