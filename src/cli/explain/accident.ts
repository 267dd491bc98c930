/**
 * An accident: hosts or single processes that are lost, and links that are cut. A host that is lost is silent; a
 * process that dies leaves a kernel behind, which refuses connections.
 */
import type { GroupLayout, LayoutMember } from './layout.ts'

export interface Accident {
  /** In words: `10.0.0.1 is lost`. */
  readonly text: string
  /** Hosts, or `host:port` for single processes. */
  readonly lost: readonly string[]
  /** Both directions of the link between two hosts or processes. */
  readonly cut: readonly (readonly [string, string])[]
}

export function masterDies({ master }: GroupLayout): Accident {
  return { text: `the master ${master.address} dies`, lost: [master.address], cut: [] }
}

export function loses(places: readonly string[]): Accident {
  const verb = places.length === 1 ? 'is' : 'are'
  return { text: `${places.join(' and ')} ${verb} lost`, lost: places, cut: [] }
}

/** `unknown`: the first place at which nothing of the group runs; undefined if there is none. */
export function accidentOf(
  layout: GroupLayout,
  lost: readonly string[],
  cut: readonly (readonly [string, string])[],
): { readonly accident: Accident; readonly unknown: string | undefined } {
  const links = cut.map(([a, b]) => `the link between ${a} and ${b} is cut`)
  const text = [...(lost.length > 0 ? [loses(lost).text] : []), ...links].join(' and ')
  const members = membersOf(layout)
  const unknown = [...lost, ...cut.flat()].find(
    (place) => !members.some((member) => isAt(member, place)),
  )
  return { accident: { text, lost, cut }, unknown }
}

export function membersOf({ master, replicas, sentinels }: GroupLayout): readonly LayoutMember[] {
  return [master, ...replicas, ...sentinels]
}

export function isAt({ address, host }: LayoutMember, place: string): boolean {
  return place === address || place === host
}

export function isLost({ lost }: Accident, member: LayoutMember): boolean {
  return lost.some((place) => isAt(member, place))
}

export function isCut({ cut }: Accident, one: LayoutMember, other: LayoutMember): boolean {
  return cut.some(([a, b]) => (isAt(one, a) && isAt(other, b)) || (isAt(one, b) && isAt(other, a)))
}

/** The process died, and its machine still answers for it. */
export function refuses({ lost }: Accident, { address, host }: LayoutMember): boolean {
  return lost.includes(address) && !lost.includes(host)
}
