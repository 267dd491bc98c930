/**
 * [replication: strict] A voter whose disk was replaced knows no term, and may have lost a fence with it: its
 * acknowledgements do not count before a leader has fenced it. If nothing else makes a leader fence the group, one
 * Sentinel is elected for that reason alone, once the node has copied the data. The master has the newest history,
 * so it goes on in the new term, and its clients wait for two round trips.
 *
 * Until then the group has one voter less, and the next failure may end its writes. But a fence that too few voters
 * answer ends them at once: so it is begun only while as many others as a failover needs have their votes.
 */
import { standForElection } from '../election/election.ts'
import { mayAct, staggerMs } from '../election/failover-start.ts'
import { describe } from '../events.ts'
import { isPaused } from '../pause/pause.ts'
import type { DataInstance, Group, Turn } from '../state.ts'
import { isOdown } from '../state.ts'
import { log } from '../turn.ts'
import { driveFailover } from './failover.ts'
import { follows } from './slaveof.ts'
import { voterReport, votesNow } from './voter-report.ts'
import { isInReach, isStrict, voterInstances } from './voters.ts'

/** A new node is looked at by all Sentinels before one of them acts, and its operator may not be done with it. */
const PATIENCE_MS = 5_000
/** Clients must not wait again and again for a node that lies, or that is emptied every time. */
const AGAIN_MS = 60_000

/** Called with each INFO of a data node outside a failover: arms the moment to act, or lets it go. */
export function noteVotes(turn: Turn, group: Group): void {
  const { state, now } = turn
  if (!isStrict(group)) return
  if (!mayRenew(turn, group)) return state.timers.clear(group, 'renewal')
  if (group.deadlines.has('renewal')) return
  const earliestMs = Math.max(now.monoMs + PATIENCE_MS, (group.renewedAtMs ?? -AGAIN_MS) + AGAIN_MS)
  state.timers.set(group, 'renewal', earliestMs + staggerMs(state, group))
}

/** The moment has come. A Sentinel that has voted for another meanwhile leaves it to that one. */
export function renewVotes(turn: Turn, group: Group): void {
  if (!mayRenew(turn, group)) return
  const names = withoutVote(turn, group).map((one) => describe(turn.state, one))
  const text = `${names.join(', ')} has the data and no vote: the voters are fenced anew, and the master goes on`
  log(turn, 'notice', text)
  group.renewedAtMs = turn.now.monoMs
  standForElection(turn, group, 'renewal')
  driveFailover(turn, group)
}

function mayRenew(turn: Turn, group: Group): boolean {
  if (!mayAct(turn.state) || group.failover !== undefined || isOdown(group)) return false
  if (isPaused(group) || isLeftToAnother(turn, group)) return false
  const report = voterReport(turn.state, group)
  if (report === undefined || !isInReach(group.master) || group.master.sync?.state !== 'master')
    return false
  const needed = Math.max(report.writeQuorum, report.fencesNeeded)
  return votesNow(report) >= needed && withoutVote(turn, group).length > 0
}

function isLeftToAnother({ now }: Turn, { yieldedTo }: Group): boolean {
  return yieldedTo !== undefined && now.monoMs - yieldedTo.atMs < AGAIN_MS
}

/** Voters that have copied the data of the master, follow it, and know no term. */
function withoutVote(turn: Turn, group: Group): DataInstance[] {
  return voterInstances(turn.state, group).filter((one) => {
    if (one.kind === 'master' || !isInReach(one) || !one.masterLinkUp) return false
    if (!follows(turn.state, one, group.master)) return false
    return one.sync?.state === 'replica' && one.sync.term === 0
  })
}
