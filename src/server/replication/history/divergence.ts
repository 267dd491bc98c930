/**
 * How the history of a full copy that a master offers is related to ours, and what follows from
 * that: which of our commands it lacks, and whether the master has lost its data.
 *
 *     ours     ───────●────────────►  offset       ● where the two part: the fork
 *     offered         └──────►  offset
 *
 * The fork is known exactly if the master tells its lineage: it lies where one history says that
 * the other is its beginning. Without a lineage, none of our commands is certain to be in the
 * offered history.
 */
import { NO_REPLICATION_ID } from './history.ts'
import type { Lineage, LineageAnswer } from './lineage.ts'

/** Where this node is in its history. */
export interface OwnPosition {
  readonly id: string
  readonly offset: number
  readonly previousId: string
  readonly secondOffset: number
}

/** The position that a master offers us a copy of. */
export interface Offer {
  readonly id: string
  readonly offset: number
  readonly lineage: LineageAnswer
}

/**
 * Under which id to ask to go on from our position. Until something is written in it, our history
 * is its predecessor under another name, so either id will do, and a master may know just one of
 * them. `usual` is the id for a master that does not tell its lineage.
 */
export function idToOffer(own: OwnPosition, lineage: LineageAnswer, usual: string): string {
  if (typeof lineage === 'string') return usual
  if (knows(lineage, own.id, own.offset)) return own.id
  const isUnused = own.offset + 1 === own.secondOffset
  return isUnused && knows(lineage, own.previousId, own.offset) ? own.previousId : usual
}

/**
 * Whether a replica at `offset` of history `asked` can go on in this one, as far as the ids tell.
 */
function knows({ id, previousId, secondOffset }: Lineage, asked: string, offset: number): boolean {
  if (asked === NO_REPLICATION_ID) return false
  return asked === id || (asked === previousId && offset + 1 <= secondOffset)
}

export type Divergence =
  /**
   * One history is the beginning of the other, or they have a beginning in common: `fork` is the
   * first offset at which they differ.
   */
  | { readonly kind: 'known'; readonly fork: number }
  /** The offered history comes from a history we know nothing of. */
  | { readonly kind: 'foreign' }
  /**
   * The offered history began on the master itself: without a promotion, and without loaded data.
   */
  | { readonly kind: 'new' }
  | { readonly kind: 'unclear'; readonly mayAsk: boolean }

export function divergenceFrom(own: OwnPosition, offer: Offer): Divergence {
  if (offer.id === own.id) return known(offer.offset + 1)
  if (isBeginning(own.previousId, offer.id)) {
    return known(Math.min(own.secondOffset, offer.offset + 1))
  }
  const { lineage } = offer
  if (typeof lineage === 'string') return { kind: 'unclear', mayAsk: lineage === 'unasked' }
  const { previousId, secondOffset } = lineage
  if (lineage.id !== offer.id) return renamed(previousId)
  if (isBeginning(previousId, own.id)) return known(secondOffset)
  if (isBeginning(previousId, own.previousId)) {
    return known(Math.min(own.secondOffset, secondOffset))
  }
  return previousId === NO_REPLICATION_ID ? { kind: 'new' } : { kind: 'foreign' }
}

/**
 * The id changed between INFO and PSYNC. A master that begins to count changes it; so may others.
 */
function renamed(previousId: string): Divergence {
  return previousId === NO_REPLICATION_ID ? { kind: 'new' } : { kind: 'unclear', mayAsk: false }
}

function isBeginning(previousId: string, id: string): boolean {
  return previousId !== NO_REPLICATION_ID && previousId === id
}

function known(fork: number): Divergence {
  return { kind: 'known', fork }
}

/** How we came to follow the master that makes the offer. */
export interface Relation {
  /** We have been in step with this very master, and have not been told to follow another one since. */
  readonly wasInStep: boolean
  /** We were told once more to follow it, not long ago. */
  readonly isToldAgain: boolean
}

/**
 * Whether a master has lost its data: its history is shorter than ours, and the reason is not that
 * it was promoted in place of another master. A master that we have just been told to follow is
 * believed, unless its history has just begun; a master that we have followed all the time must not
 * fall back.
 */
export function hasLostItsData(own: OwnPosition, offer: Offer, relation: Relation): boolean {
  if (offer.id === own.id || isBeginning(own.previousId, offer.id)) return false
  if (offer.offset >= own.offset) return false
  // The order to follow it again says that it is sound. A master that hides its lineage is not believed for that.
  const isBelieved = relation.isToldAgain && typeof offer.lineage !== 'string'
  if (relation.wasInStep && !isBelieved) return true
  const isChained = typeof offer.lineage !== 'string' && offer.lineage.isReplica
  return divergenceFrom(own, offer).kind === 'new' && !isChained
}
