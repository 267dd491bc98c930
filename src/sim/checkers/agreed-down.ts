/**
 * No failover without a quorum: as many Sentinels as the group asks for really had the master down, when
 * one of them began. What a Sentinel once said is believed for five seconds and asked for every second,
 * so a verdict taken back counts a little longer; where answers may have been on their way for long, any
 * verdict on this master ever counts.
 */
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import { readMasterEvent } from './master-event.ts'
import type { Scene } from './scene.ts'

const BELIEVED_MS = 7_500
const CALM_MS = 10_000

interface Verdict {
  /** Undefined: it stands. */
  endMs: number | undefined
}

export function agreedDown(scene: Scene): Checker {
  const verdicts = new Verdicts()
  return {
    name: 'a quorum agrees before a failover',
    observe: (happening) => {
      verdicts.note(happening)
      if (happening.kind !== 'candidacy' || happening.forced || happening.isPlanned)
        return undefined
      const { atMs, process, group, master, electorate } = happening
      const about = `${group} ${master.host} ${master.port}`
      const names = scene.topology.sentinels.map(({ name }) => name)
      const agreed = names.filter((name) => {
        const isStrict = isPrompt(scene, process ?? '', name, atMs - CALM_MS)
        return verdicts.counts(name, about, isStrict ? atMs - BELIEVED_MS : 0)
      })
      if (agreed.length >= electorate.quorum) return undefined
      return `${process} begins a failover of ${group} although only ${agreed.join(', ') || 'nobody'} of the quorum of ${electorate.quorum} had its master down`
    },
  }
}

/** What the other said has arrived by now, if it ever does. */
function isPrompt({ troubles }: Scene, me: string, other: string, sinceMs: number): boolean {
  if (!troubles.isCalm(me, sinceMs)) return false
  return me === other || troubles.isWayCalm(me, other, sinceMs)
}

/** Which Sentinel held which master down, and until when. */
class Verdicts {
  readonly #last = new Map<string, Verdict>()

  note(happening: Happening): void {
    const { atMs, process } = happening
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
    if (happening.name === '+sdown') this.#last.set(key, { endMs: undefined })
    else if (happening.name === '-sdown') this.#end(key, atMs)
  }

  /** The Sentinel held this master down at that time or later. */
  counts(sentinel: string, about: string, sinceMs: number): boolean {
    const verdict = this.#last.get(`${sentinel} ${about}`)
    return verdict !== undefined && (verdict.endMs ?? sinceMs) >= sinceMs
  }

  #endAll(whose: string, atMs: number): void {
    for (const key of this.#last.keys()) if (key.startsWith(`${whose} `)) this.#end(key, atMs)
  }

  #end(key: string, atMs: number): void {
    const verdict = this.#last.get(key)
    if (verdict !== undefined) verdict.endMs ??= atMs
  }
}
