/**
 * How the history a master offers a full copy of is related to ours, and what follows from that: which of
 * our commands it does not have, and whether it is a master that has lost its data.
 *
 *     ours     ───────●────────────►  offset       ● where the two part: the fork
 *     offered         └──────►  offset
 *
 * The fork is known exactly if the master tells its lineage: it lies where one history says that the other
 * is its beginning. Without, nothing of ours is certain to be in the offered history.
 */
import { NO_REPLICATION_ID } from './history.ts'
import type { Lineage, LineageAnswer } from './lineage.ts'

/** Where we are. */
export interface OwnPlace {
  readonly id: string
  readonly offset: number
  readonly previousId: string
  readonly secondOffset: number
}

/** What we are to become a copy of. */
export interface Offer {
  readonly id: string
  readonly offset: number
  readonly lineage: LineageAnswer
}

/**
 * Under which id to ask to go on from where we are. Until something is written in it, our history is its
 * predecessor under another name, so either will do, and a master may know just one of them. `usual` is
 * what to say to a master that does not tell what it knows.
 */
export function idToOffer(own: OwnPlace, lineage: LineageAnswer, usual: string): string {
  if (typeof lineage === 'string') return usual
  if (knows(lineage, own.id, own.offset)) return own.id
  const isUnused = own.offset + 1 === own.secondOffset
  return isUnused && knows(lineage, own.previousId, own.offset) ? own.previousId : usual
}

/** Whether somebody at `offset` of that history can go on in this one, as far as ids tell. */
function knows({ id, previousId, secondOffset }: Lineage, asked: string, offset: number): boolean {
  if (asked === NO_REPLICATION_ID) return false
  return asked === id || (asked === previousId && offset + 1 <= secondOffset)
}

export type Kinship =
  /** One is the beginning of the other, or they have a beginning in common: `fork` is the first offset
   * at which they differ. */
  | { readonly kind: 'known'; readonly fork: number }
  /** It comes from a history we know nothing of. */
  | { readonly kind: 'foreign' }
  /** It began where it is: nobody was promoted to it, and nothing was loaded. */
  | { readonly kind: 'new' }
  | { readonly kind: 'unclear'; readonly mayAsk: boolean }

export function kinship(own: OwnPlace, offer: Offer): Kinship {
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

/** Between INFO and PSYNC the id has changed. A master that begins to count does that; others may. */
function renamed(previousId: string): Kinship {
  return previousId === NO_REPLICATION_ID ? { kind: 'new' } : { kind: 'unclear', mayAsk: false }
}

function isBeginning(previousId: string, id: string): boolean {
  return previousId !== NO_REPLICATION_ID && previousId === id
}

function known(fork: number): Kinship {
  return { kind: 'known', fork }
}

/** How we came to be a replica of the master that makes the offer. */
export interface Relation {
  /** We have been in step with this very master, and nobody has told us to follow it since. */
  readonly isAcquainted: boolean
}

/**
 * Whether a master has lost what it had: its history is shorter than ours, and not because it was made the
 * master instead of another one. Whom somebody told us to follow after we were further is believed,
 * unless its history has just begun; one that we have followed all the time must not fall back.
 */
export function hasLostItsData(own: OwnPlace, offer: Offer, relation: Relation): boolean {
  if (offer.id === own.id || isBeginning(own.previousId, offer.id)) return false
  if (offer.offset >= own.offset) return false
  if (relation.isAcquainted) return true
  const isChained = typeof offer.lineage !== 'string' && offer.lineage.isReplica
  return kinship(own, offer).kind === 'new' && !isChained
}
