/** Which box each node and each Sentinel lives on: by its address where that is known, else as assumed. */
import type { Address } from '../core/memory/saved.ts'
import type { Member } from './cluster.ts'

/** Where Sentinels are: on the boxes of the nodes, or on those of the applications. */
export type Layout = 'together' | 'apart'

/** An address that everybody has on its own box tells nothing about who shares one. */
export function isTelling(address: Address | undefined): address is Address {
  if (address === undefined || address.host === '') return false
  return !address.host.startsWith('127.') && address.host !== '::1'
}

/** Gives out boxes: the same one for the same known address, a new one otherwise. */
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
  /** Of those the configuration has met. */
  readonly known: readonly Address[]
  /** Undefined: by their addresses, and the rest beside the nodes. */
  readonly layout: Layout | undefined
  readonly nodeBoxes: readonly string[]
  readonly clientBoxes: readonly string[]
}

/** Boxes for all Sentinels; who finds none that is free gets one of its own. */
export function placeSentinels(places: SentinelPlaces, boxes: Boxes): readonly Member[] {
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
