/**
 * Which Sentinel held which master down, and until when. What a Sentinel once said is believed for five
 * seconds and asked for every second, so a verdict taken back counts a little longer; where answers may
 * have been on their way for long, any verdict on this master ever counts.
 */
import type { Address, Happening } from '../happening.ts'
import { Emptied } from './emptied.ts'
import { readMasterEvent } from './master-event.ts'
import type { Scene } from './scene.ts'

const BELIEVED_MS = 7_500
const CALM_MS = 10_000

export type Candidacy = Happening & { readonly kind: 'candidacy' }

/** Who at that moment has this master down, as far as that process can know? */
export interface Question {
  readonly atMs: number
  readonly process: string
  readonly group: string
  readonly master: Address
}

export interface Verdict {
  readonly atMs: number
  /** For how long the Sentinel had heard nothing good of the master then; undefined: nobody knows. */
  readonly silentMs: number | undefined
  /** Its ground was that the master has lost its data, as a replica says. */
  readonly isEmptied: boolean
  /** Undefined: it stands. */
  endMs: number | undefined
}

export class Verdicts {
  readonly #scene: Scene
  readonly #last = new Map<string, Verdict>()
  readonly #emptied = new Emptied()

  constructor(scene: Scene) {
    this.#scene = scene
  }

  note(happening: Happening): void {
    const { atMs, process } = happening
    this.#emptied.note(happening)
    if (process === undefined) return
    if (happening.kind === 'status' && happening.status === 'down') this.#endAll(process, atMs)
    if (happening.kind !== 'event') return
    // A switch ends verdicts without a word.
    if (happening.name === '+switch-master') {
      this.#endAll(`${process} ${happening.payload.split(' ')[0]}`, atMs)
    }
    const subject = readMasterEvent(happening.payload)
    if (subject === undefined) return
    const { host, port } = subject.address
    const key = `${process} ${subject.group} ${host} ${port}`
    const { silentMs } = happening
    const isEmptied = this.#emptied.says(process, happening.payload)
    if (happening.name === '-sdown') this.#end(key, atMs)
    else if (happening.name === '+sdown')
      this.#last.set(key, { atMs, silentMs, isEmptied, endMs: undefined })
  }

  /** What each Sentinel that really had the master down says, as far as the process may count it. */
  behind({ atMs, process, group, master }: Question): ReadonlyMap<string, Verdict> {
    const about = `${group} ${master.host} ${master.port}`
    const found = new Map<string, Verdict>()
    for (const { name } of this.#scene.topology.sentinels) {
      const isStrict = this.#isPrompt(process, name, atMs - CALM_MS)
      const verdict = this.#since(name, about, isStrict ? atMs - BELIEVED_MS : 0)
      if (verdict !== undefined) found.set(name, verdict)
    }
    return found
  }

  /** What the other said has arrived by now, if it ever does. */
  #isPrompt(me: string, other: string, sinceMs: number): boolean {
    const { troubles } = this.#scene
    if (!troubles.isCalm(me, sinceMs)) return false
    return me === other || troubles.isWayCalm(me, other, sinceMs)
  }

  /** The Sentinel held this master down at that time or later. */
  #since(sentinel: string, about: string, sinceMs: number): Verdict | undefined {
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

/** It was begun by the Sentinels alone: an operator may replace a master that is well. */
export function isAutomatic({ forced, isPlanned }: Candidacy): boolean {
  return !forced && isPlanned !== true
}
