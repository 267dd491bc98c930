/**
 * Counting votes. Pure, and checked against a second, naive version: everything else in a failover can
 * be late or repeated, but two leaders in one epoch must not happen.
 */
export interface Ballot {
  readonly me: string
  /** The epoch of this election; votes in another epoch do not count. */
  readonly epoch: number
  /** Votes a leader needs. */
  readonly needed: number
  /** The candidate we voted for in this epoch, if we did. */
  readonly ownVote: string | undefined
  /** The peers' votes as they told them, whatever the epoch. */
  readonly votes: readonly { readonly leader: string; readonly epoch: number }[]
  /** Peers that can be reached and have not answered for this epoch. */
  readonly outstanding: number
}

export type ElectionOutcome =
  | { readonly kind: 'won' }
  | { readonly kind: 'open' }
  /** Not enough votes are left to win. `leader` is the candidate that won instead, if one has. */
  | { readonly kind: 'lost'; readonly leader: string | undefined }

export function tally(ballot: Ballot): ElectionOutcome {
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
