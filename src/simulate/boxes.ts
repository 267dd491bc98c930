/** Which box each node and each Sentinel runs on: by its address if that is known, otherwise as assumed. */
import type { Address } from '../base/ip.ts'
import type { ClusterMember } from './cluster.ts'

/** Where Sentinels run: on the boxes of the nodes, or on those of the applications. */
export type SentinelPlacement = 'together' | 'apart'

/** An address that every box has for itself says nothing about which processes share one. */
export function isTelling(address: Address | undefined): address is Address {
  if (address === undefined || address.host === '') return false
  return !address.host.startsWith('127.') && address.host !== '::1'
}

/** Assigns boxes: the same one for the same known address, a new one otherwise. */
export class Boxes {
  readonly #byIp = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  forAddress(address: Address | undefined, word: string): string {
    if (!isTelling(address)) return this.#next(word)
    const known = this.#byIp.get(address.host)
    if (known !== undefined) return known
    const box = this.#next(word)
    this.#byIp.set(address.host, box)
    return box
  }

  #next(word: string): string {
    const count = (this.#counts.get(word) ?? 0) + 1
    this.#counts.set(word, count)
    return `${word}${count}`
  }
}

export interface SentinelPlaces {
  readonly count: number
  /** The Sentinels that the configuration knows. */
  readonly known: readonly Address[]
  /** Undefined: by their addresses, and the rest beside the nodes. */
  readonly layout: SentinelPlacement | undefined
  readonly nodeBoxes: readonly string[]
  readonly clientBoxes: readonly string[]
}

/** Boxes for all Sentinels; a Sentinel that finds no free one gets its own. */
export function placeSentinels(places: SentinelPlaces, boxes: Boxes): readonly ClusterMember[] {
  const { count, known, layout } = places
  const told = layout === undefined ? known.filter(isTelling).slice(0, count) : []
  const taken = told.map((address) => boxes.forAddress(address, 'watch'))
  const free = freeBoxes(places).filter((box) => !taken.includes(box))
  while (taken.length < count) taken.push(free.shift() ?? boxes.forAddress(undefined, 'watch'))
  return taken.map((host, index) => ({ name: `s${index + 1}`, host }))
}

function freeBoxes({ layout, nodeBoxes, clientBoxes }: SentinelPlaces): string[] {
  return [...new Set(layout === 'apart' ? clientBoxes : nodeBoxes)]
}
