/**
 * What Sentinels have said so far, for checkers that judge a Sentinel by its own words: which instances
 * it holds down, whether it is in TILT, which master it names. What a Sentinel knows ends with its life.
 */
import type { Address } from '../../base/ip.ts'
import { isAbort } from '../../core/event-table.ts'
import { eventWords, type Happening } from '../happening.ts'

/** `master <group> <ip> <port>`, or `slave <name> <ip> <port> @ <group> <ip> <port>`; `sentinel` alike. */
export interface SaidSubject {
  readonly kind: 'master' | 'slave' | 'sentinel'
  /** The group of a master, `ip:port` of a replica, the run id of a Sentinel. */
  readonly name: string
  readonly address: Address
  readonly group: string
}

export function readSubject(payload: string): SaidSubject | undefined {
  const words = payload.split(' ')
  const [kind, name = '', host = '', port] = words
  if (kind !== 'master' && kind !== 'slave' && kind !== 'sentinel') return undefined
  const group = kind === 'master' ? name : (words[words.indexOf('@') + 1] ?? '')
  return { kind, name, address: { host, port: Number(port) }, group }
}

export function placeOf({ host, port }: Address): string {
  return `${host}:${port}`
}

/** Keys are `process group`. What a Sentinel's failover left in them ends: it dies, gives up, or switches. */
export function forgetEnded(keyed: Keyed, happening: Happening): void {
  const { process = '' } = happening
  if (happening.kind === 'status' && happening.status === 'down') {
    forgetProcess(keyed, process)
  }
  if (happening.kind !== 'event') return
  const { name, payload } = happening
  if (isAbort(name)) keyed.delete(`${process} ${readSubject(payload)?.group}`)
  if (name === '+switch-master') {
    keyed.delete(`${process} ${eventWords('+switch-master', payload)?.group}`)
  }
}

/** Removes every key that begins with the process. */
export function forgetProcess(keyed: Keyed, process: string): void {
  for (const key of keyed.keys()) if (key.startsWith(`${process} `)) keyed.delete(key)
}

/** A set of keys, or a map. */
interface Keyed {
  keys(): Iterable<string>
  delete(key: string): boolean
}

interface Past {
  tiltedSinceMs: number | undefined
  tiltEndedAtMs: number | undefined
  /** Since when each instance is S_DOWN, by group, kind and place. */
  readonly down: Map<string, number>
  /** By group: the master named last. */
  readonly masters: Map<string, Address>
  /** By group: when it last switched, by its own account. */
  readonly switchedAtMs: Map<string, number>
}

export class SentinelPast {
  readonly #of = new Map<string, Past>()
  /** The process of each run id. */
  readonly #names = new Map<string, string>()

  note(happening: Happening): void {
    const { process, atMs } = happening
    if (process === undefined) return
    if (happening.kind === 'status' && happening.status === 'down') this.#of.delete(process)
    if ('sentinelId' in happening) this.#names.set(happening.sentinelId, process)
    if (happening.kind === 'view')
      this.#past(process).masters.set(happening.group, happening.master)
    if (happening.kind === 'event') this.#heard(process, happening.name, happening.payload, atMs)
  }

  /** Undefined: no process is known by this run id. */
  processOf(sentinelId: string): string | undefined {
    return this.#names.get(sentinelId)
  }

  /** The known run ids that come before this one. */
  idsBelow(sentinelId: string): readonly string[] {
    return [...this.#names.keys()].filter((id) => id < sentinelId)
  }

  isTilted(process: string): boolean {
    return this.tiltedSinceMs(process) !== undefined
  }

  tiltedSinceMs(process: string): number | undefined {
    return this.#of.get(process)?.tiltedSinceMs
  }

  /** When its last TILT ended; undefined: never in this life. */
  tiltEndedAtMs(process: string): number | undefined {
    return this.#of.get(process)?.tiltEndedAtMs
  }

  /** Since when the Sentinel holds the instance down; undefined: it does not. */
  downSinceMs(process: string, { group, kind, name, address }: SaidSubject): number | undefined {
    return this.#of
      .get(process)
      ?.down.get(keyOf(group, kind, kind === 'sentinel' ? name : placeOf(address)))
  }

  /** The same for a node of the group in any role. */
  nodeDownSinceMs(process: string, group: string, address: Address): number | undefined {
    const { down } = this.#of.get(process) ?? {}
    const place = placeOf(address)
    return down?.get(keyOf(group, 'slave', place)) ?? down?.get(keyOf(group, 'master', place))
  }

  peerDownSinceMs(process: string, group: string, sentinelId: string): number | undefined {
    return this.#of.get(process)?.down.get(keyOf(group, 'sentinel', sentinelId))
  }

  /** The master that the Sentinel names at present. */
  masterOf(process: string, group: string): Address | undefined {
    return this.#of.get(process)?.masters.get(group)
  }

  switchedAtMs(process: string, group: string): number | undefined {
    return this.#of.get(process)?.switchedAtMs.get(group)
  }

  #past(process: string): Past {
    const past = this.#of.get(process) ?? newPast()
    this.#of.set(process, past)
    return past
  }

  #heard(process: string, name: string, payload: string, atMs: number): void {
    const past = this.#past(process)
    if (name === '+tilt') past.tiltedSinceMs = atMs
    if (name === '-tilt') {
      past.tiltedSinceMs = undefined
      past.tiltEndedAtMs = atMs
    }
    if (name === '+switch-master') {
      const group = eventWords('+switch-master', payload)?.group ?? ''
      past.switchedAtMs.set(group, atMs)
      forget(
        past.down,
        (key) => key.startsWith(`${group} `) && !key.startsWith(`${group} sentinel `),
      )
    }
    const subject = readSubject(payload)
    if (subject === undefined) return
    const { group, kind, address } = subject
    if (name === '+reset-master' || name === '-monitor') {
      forget(past.down, (key) => key.startsWith(`${group} `))
    }
    const key = keyOf(group, kind, kind === 'sentinel' ? subject.name : placeOf(address))
    if (name === '+sdown') past.down.set(key, atMs)
    // A peer at another address is watched anew, and so is an instance that was forgotten.
    if (name === '-sdown' || name === '-slave' || name === '-sentinel') past.down.delete(key)
    if (name === '+sentinel-address-switch') {
      forget(past.down, (one) => payload.includes(one.split(' ')[2] ?? ' '))
    }
  }
}

function keyOf(group: string, kind: string, name: string): string {
  return `${group} ${kind} ${name}`
}

function forget(down: Map<string, number>, isMeant: (key: string) => boolean): void {
  for (const key of down.keys()) if (isMeant(key)) down.delete(key)
}

function newPast(): Past {
  return {
    tiltedSinceMs: undefined,
    tiltEndedAtMs: undefined,
    down: new Map(),
    masters: new Map(),
    switchedAtMs: new Map(),
  }
}
