/**
 * Would we win? A candidate burns an epoch, takes its own vote from all others, and keeps better
 * candidates waiting; so it asks first [Raft, section 9.6: PreVote]. The question goes out with S_DOWN,
 * so that the answers are there when the quorum is, and costs no time.
 *
 * Only Sentinels of our own make can be asked. If one of the reachable peers cannot, nothing is certain,
 * and we stand as C Sentinel does.
 */
import { conferWith } from '../detection/confer.ts'
import type { Group, Peer, Turn } from '../state.ts'
import { commandLink, isSdown } from '../state.ts'
import { electorsOf, isElsewhere, votesNeeded } from './quorum.ts'
import { roundMs } from './round-trips.ts'

/** How many rounds to wait for the answers, and before asking again the peers that said no. */
const ROUNDS_TO_WAIT = 4

/** `atMs`: when to check again, if nothing happens before; `obstacle`: what is in the way, in words. */
export type Prospect = 'good' | { readonly atMs: number; readonly obstacle: string | undefined }

/** Sums up the answers of the reachable peers, and asks those that have not answered. */
export function prospect(turn: Turn, group: Group): Prospect {
  const peers = electorsOf(group).filter(isInReach)
  if (peers.some(({ confers }) => confers === false)) return 'good'
  const waitMs = ROUNDS_TO_WAIT * roundMs(turn.state, group)
  const said = peers.map((peer) => answerOf(turn, peer, waitMs))
  const needed = votesNeeded(group)
  const votes = 1 + said.filter((word) => word === 'yes').length
  if (votes >= needed) return 'good'
  for (const [at, peer] of peers.entries()) if (said[at] === 'none') conferWith(turn, peer)
  const isOpen = said.includes('none')
  const obstacle = isOpen ? undefined : `only ${votes} of the ${needed} votes needed would be ours`
  return { atMs: turn.now.monoMs + waitMs, obstacle }
}

function isInReach(peer: Peer): boolean {
  return commandLink(peer) !== undefined && !isSdown(peer) && !isElsewhere(peer)
}

/**
 * Its answer for the epoch we would stand in. A promise holds for later epochs too, which other
 * groups reach all the time, and is believed for an ask period, after which it may have voted for
 * another. A refusal is about its own epoch, and lasts only as long as we would wait for another
 * answer.
 */
function answerOf({ state, now }: Turn, { counsel }: Peer, waitMs: number): 'yes' | 'no' | 'none' {
  if (counsel === undefined) return 'none'
  const ageMs = now.monoMs - counsel.atMs
  if (counsel.granted) return ageMs <= state.config.periods.askMs ? 'yes' : 'none'
  return counsel.epoch === state.currentEpoch + 1 && ageMs < waitMs ? 'no' : 'none'
}
