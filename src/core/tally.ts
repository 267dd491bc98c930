/**
 * Counting votes. Pure, and checked against a second, naive version: everything else in a failover can
 * be late or repeated, but two leaders in one epoch must not happen.
 */
export interface Ballot {
  readonly me: string
  /** The epoch of this election; votes of any other are about something else. */
  readonly epoch: number
  /** Votes a leader needs. */
  readonly needed: number
  /** Whom we voted for in this epoch, if we did. */
  readonly ownVote: string | undefined
  /** What the peers said they voted, whatever the epoch. */
  readonly votes: readonly { readonly leader: string; readonly epoch: number }[]
  /** Peers that can be reached and have not answered for this epoch. */
  readonly outstanding: number
}

export type Outcome =
  | { readonly kind: 'won' }
  | { readonly kind: 'open' }
  /** Not enough votes are left to win. `leader` is who won instead, if anyone has. */
  | { readonly kind: 'lost'; readonly leader: string | undefined }

export function tally(ballot: Ballot): Outcome {
  const counts = countVotes(ballot)
  const mine = counts.get(ballot.me) ?? 0
  if (mine >= ballot.needed) return { kind: 'won' }
  if (mine + ballot.outstanding >= ballot.needed) return { kind: 'open' }
  const winner = [...counts].find(([, count]) => count >= ballot.needed)
  return { kind: 'lost', leader: winner?.[0] }
}

function countVotes(ballot: Ballot): Map<string, number> {
  const counts = new Map<string, number>()
  const valid = ballot.votes.filter((vote) => vote.epoch === ballot.epoch)
  const leaders = valid.map((vote) => vote.leader)
  if (ballot.ownVote !== undefined) leaders.push(ballot.ownVote)
  for (const leader of leaders) counts.set(leader, (counts.get(leader) ?? 0) + 1)
  return counts
}
