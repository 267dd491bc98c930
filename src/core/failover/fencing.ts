/**
 * select_slave in a strict group: no replica is chosen by what INFO says. The leader fences the voters
 * at its epoch, and promotes the one with the newest history among those that are fenced: the last
 * term decides, then the offset, and a priority only among equals. Enough are fenced if any write
 * quorum has one of them: then every acknowledged write is in one of the histories, so in the newest.
 *
 * A master that answers is fenced before the others, so that the rest of its stream can reach them;
 * if its history is the newest all the same, it stays the master, in the new term. On an order it is told
 * first who its heir will be: it sends clients there that ask for it, lets the others wait, and says when
 * the heir has everything; then all voters are fenced at once. That saves time and clients errors, and
 * nothing depends on it: what the voters answer to the fence decides. Without any vote
 * at all a group begins: if all voters say that they have never been in a term, nothing has been
 * acknowledged strictly, and the configured master gets the first one.
 */
import type { Reply } from '../../resp/reply.ts'
import { sendHelloToAll } from '../discovery/hello-send.ts'
import { requestInfo } from '../discovery/info-request.ts'
import { learnEpoch } from '../election/new-epoch.ts'
import { announce, describe } from '../events.ts'
import { save } from '../persistence/save.ts'
import type { Purpose } from '../purpose.ts'
import type { DataInstance, Failover, Group, Replica, Turn } from '../state.ts'
import { commandLink } from '../state.ts'
import { log, send } from '../turn.ts'
import type { Fencing, Standing } from './failover-kinds.ts'
import { abortFailover, discardFailover } from './failover-state.ts'
import { handoverLimitMs, noteHandover, orderHandover } from './fenced-handover.ts'
import { barOf, inPromotionOrder } from './selection.ts'
import { sendFollow } from './slaveof.ts'
import { fencesNeeded, isInReach, layoutWords, voterInstances } from './voters.ts'

/** How long the old master may take to answer, and its replicas to get the rest of its stream. */
const MASTER_PATIENCE_MS = 200
const CATCH_UP_MS = 2_000
/** How long voters beyond those needed are waited for: one of them may be as new and preferred. */
const REST_PATIENCE_MS = 50
/** How long the voters may take that are needed. */
const FENCE_PATIENCE_MS = 3_000
/** How long the old master may take to go on. */
const REINSTATE_PATIENCE_MS = 3_000

type Choose = (replica: Replica) => void

export function stepFencing(turn: Turn, group: Group, failover: Failover, choose: Choose): void {
  failover.fencing ??= begin(turn, group, failover)
  const { fencing } = failover
  if (fencing.reinstatedAtMs !== undefined) return awaitMaster(turn, group, fencing.reinstatedAtMs)
  if (fencing.othersSinceMs === undefined) {
    if (fencing.handover?.state === 'refused') ask(turn, group, fencing, group.master)
    const untilMs = mastersTurnEndsMs(group, failover, fencing)
    if (untilMs > turn.now.monoMs) return wakeAt(turn, group, untilMs)
    fencing.othersSinceMs = turn.now.monoMs
    for (const one of voterInstances(turn.state, group)) ask(turn, group, fencing, one)
  }
  decide(turn, group, failover, fencing, fencing.othersSinceMs, choose)
}

/** Makes the node that was fenced the master of the term; false: there is no connection for it now. */
export function sendPromotion(
  turn: Turn,
  group: Group,
  node: DataInstance,
  { epoch, fencing }: Failover,
): boolean {
  const connection = commandLink(node)
  if (connection === undefined || fencing === undefined) return false
  const purpose = { kind: 'fence', group: group.config.name, part: 'promote', epoch } as const
  send(turn, connection, purpose, ['FENCE', String(epoch), fencing.leader, 'PROMOTE'])
  // The voters may follow it at once, whatever its answer is: they are fenced, and without them it answers nobody.
  for (const one of voterInstances(turn.state, group)) sendFollow(turn, one, node)
  for (const argv of [
    ['CONFIG', 'REWRITE'],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
    ['CLIENT', 'KILL', 'TYPE', 'pubsub'],
  ]) {
    // In a handover the release does it, when the Sentinels name the new master.
    const isDue = node.kind === 'replica' && fencing.handover?.state !== 'ready'
    if (isDue) send(turn, connection, { ...purpose, part: 'settle' }, argv)
  }
  requestInfo(turn, node)
  return true
}

export function noteFenceReply(
  turn: Turn,
  node: DataInstance,
  purpose: Purpose & { readonly kind: 'fence' },
  reply: Reply,
): void {
  const { failover } = node.group
  if (purpose.part === 'settle') return
  if (purpose.part === 'handover') return noteHandover(turn, node, purpose.epoch, reply)
  if (reply.kind === 'error') noteRefusal(turn, node, reply.text)
  if (failover?.epoch !== purpose.epoch) return
  if (purpose.part === 'ask') {
    failover.fencing?.answers.set(node.name, standingOf(reply) ?? 'refused')
  } else if (reply.kind === 'error') {
    // Another leader has come before us: there is nothing against the node.
    abortFailover(turn, node.group, '-failover-abort-not-elected')
  } else if (node.kind === 'master' && failover.fencing?.reinstatedAtMs !== undefined) {
    reinstated(turn, node.group, purpose.epoch)
  }
}

function begin(turn: Turn, group: Group, failover: Failover): Fencing {
  const fencing: Fencing = {
    leader: `${turn.state.myid}-${turn.state.rng.hex(16)}`,
    sinceMs: turn.now.monoMs,
    othersSinceMs: undefined,
    enoughSinceMs: undefined,
    reinstatedAtMs: undefined,
    handover: undefined,
    answers: new Map(),
  }
  const { master } = group
  // A master that is silent would cost its patience; one that says it has no term answers.
  const isVoter = voterInstances(turn.state, group).includes(master)
  if (isInReach(master) && isVoter) {
    fencing.handover = orderHandover(turn, group, failover, fencing.leader)
    if (fencing.handover === undefined) ask(turn, group, fencing, master)
  }
  for (const one of group.replicas.values()) if (failover.kind === 'forced') requestInfo(turn, one)
  return fencing
}

function ask(turn: Turn, group: Group, fencing: Fencing, node: DataInstance): void {
  const { answers, leader } = fencing
  const connection = commandLink(node)
  if (connection === undefined || answers.has(node.name)) return
  const epoch = group.failover?.epoch ?? 0
  answers.set(node.name, 'asked')
  const purpose = { kind: 'fence', group: group.config.name, part: 'ask', epoch } as const
  const words = layoutWords(group.config)
  send(turn, connection, purpose, ['FENCE', String(epoch), leader, 'ASK', ...words])
}

/** Until when the others wait: for the master's answer, and on an order for the rest of its stream. */
function mastersTurnEndsMs(group: Group, failover: Failover, fencing: Fencing): number {
  if (fencing.handover?.state === 'asked') {
    if (!isInReach(group.master)) return 0
    return fencing.sinceMs + handoverLimitMs(group) + MASTER_PATIENCE_MS
  }
  if (fencing.handover?.state === 'ready') return 0
  const answer = fencing.answers.get(group.master.name)
  if (answer === undefined || answer === 'refused') return 0
  if (answer === 'asked') return fencing.sinceMs + MASTER_PATIENCE_MS
  if (failover.kind !== 'forced' || answer.kind !== 'voter') return 0
  const heirs = failover.target === undefined ? [...group.replicas.values()] : [failover.target]
  const isThere = heirs.some((one) => one.sync?.isVoter === true && one.offset >= answer.offset)
  if (isThere) return 0
  return fencing.sinceMs + CATCH_UP_MS
}

function decide(
  turn: Turn,
  group: Group,
  failover: Failover,
  fencing: Fencing,
  sinceMs: number,
  choose: Choose,
): void {
  for (const one of voterInstances(turn.state, group)) ask(turn, group, fencing, one)
  const isFirst = isFirstTerm(turn, group, fencing)
  const fenced = fencedVoters(turn, group, fencing)
  const isEnough = isFirst || fenced.length >= fencesNeeded(group.config)
  if (!isEnough && turn.now.monoMs < sinceMs + FENCE_PATIENCE_MS) {
    return wakeAt(turn, group, sinceMs + FENCE_PATIENCE_MS)
  }
  if (!isEnough) return giveUp(turn, group, fencing)
  fencing.enoughSinceMs ??= turn.now.monoMs
  const restUntilMs = fencing.enoughSinceMs + REST_PATIENCE_MS
  // A master that hangs has been asked too, and will not answer.
  const isAwaited = voterInstances(turn.state, group).some(
    (one) => fencing.answers.get(one.name) === 'asked' && isInReach(one),
  )
  const chosen = isFirst ? group.master : newest(turn, failover, fenced)
  // No other is preferred to an heir that clients have been sent to.
  const isHeir = fencing.handover?.state === 'ready' && chosen?.name === fencing.handover.heir
  if (isAwaited && !isHeir && turn.now.monoMs < restUntilMs) {
    return wakeAt(turn, group, restUntilMs)
  }
  if (chosen === undefined) {
    explainBars(turn, group, fenced)
    abortFailover(turn, group, '-failover-abort-no-good-slave')
  } else if (chosen.kind === 'master') reinstate(turn, group, failover, fencing)
  else choose(chosen)
}

interface Fenced {
  readonly node: DataInstance
  readonly standing: Standing
}

function fencedVoters(turn: Turn, group: Group, { answers }: Fencing): Fenced[] {
  return voterInstances(turn.state, group).flatMap((node) => {
    const standing = answers.get(node.name)
    if (typeof standing !== 'object' || standing.kind !== 'voter') return []
    return [{ node, standing }]
  })
}

/** All voters have answered that they never were in a term. */
function isFirstTerm(turn: Turn, group: Group, { answers }: Fencing): boolean {
  const voters = voterInstances(turn.state, group)
  if (voters.length < group.config.voters.length || !voters.includes(group.master)) return false
  return voters.every(({ name }) => {
    const standing = answers.get(name)
    return typeof standing === 'object' && standing.kind === 'new'
  })
}

/** Among equals: the one that was named, on an order another than the master, then by priority. */
function newest(
  turn: Turn,
  { target, kind, fencing }: Failover,
  fenced: readonly Fenced[],
): DataInstance | undefined {
  const order = ({ standing: a }: Fenced, { standing: b }: Fenced) =>
    b.lastTerm - a.lastTerm || b.offset - a.offset
  const [best] = [...fenced].sort(order)
  if (best === undefined) return undefined
  const equals = fenced.filter((one) => order(one, best) === 0).map(({ node }) => node)
  if (target !== undefined && equals.includes(target)) return target
  const heir = equals.find(({ name }) => name === fencing?.handover?.heir)
  if (heir !== undefined) return heir
  const master = equals.find((node) => node.kind === 'master')
  if (master !== undefined && kind !== 'forced') return master
  const replicas = equals.filter((node) => node.kind === 'replica')
  const fit = replicas.filter((one) => barOf(turn.state, one) === undefined)
  return inPromotionOrder(turn.state, fit)[0] ?? master
}

function explainBars(turn: Turn, group: Group, fenced: readonly Fenced[]): void {
  const bars = fenced
    .flatMap(({ node: one }) => {
      return one.kind === 'replica' ? `${one.name}: ${barOf(turn.state, one) ?? 'it has less'}` : []
    })
    .join('; ')
  const name = describe(turn.state, group.master)
  log(turn, 'warning', `${name}: what was acknowledged may be on barred voters alone: ${bars}`)
}

function giveUp(turn: Turn, group: Group, fencing: Fencing): void {
  const fenced = fencedVoters(turn, group, fencing).length
  const others = voterInstances(turn.state, group).flatMap((node) => {
    const answer = fencing.answers.get(node.name)
    if (typeof answer === 'object' && answer.kind === 'voter') return []
    const word = typeof answer === 'object' ? answer.kind : (answer ?? 'out of reach')
    return [`${describe(turn.state, node)}: ${word}`]
  })
  const count = `${fenced} of the ${fencesNeeded(group.config)} voters needed are fenced`
  log(turn, 'warning', `nobody can be promoted without loss, ${count}; ${others.join('; ')}`)
  abortFailover(turn, group, '-failover-abort-no-good-slave')
}

function reinstate(turn: Turn, group: Group, failover: Failover, fencing: Fencing): void {
  if (!sendPromotion(turn, group, group.master, failover)) {
    return abortFailover(turn, group, '-failover-abort-not-elected')
  }
  fencing.reinstatedAtMs = turn.now.monoMs
  wakeAt(turn, group, turn.now.monoMs + REINSTATE_PATIENCE_MS)
}

function awaitMaster(turn: Turn, group: Group, sinceMs: number): void {
  if (turn.now.monoMs < sinceMs + REINSTATE_PATIENCE_MS) return
  abortFailover(turn, group, '-failover-abort-not-elected')
}

/** The old master goes on in the new term: clients need not move. */
function reinstated(turn: Turn, group: Group, epoch: number): void {
  group.configEpoch = epoch
  discardFailover(turn, group)
  group.failedAttempts = 0
  save(turn)
  announce(turn, '+reinstated-master', group.master)
  sendHelloToAll(turn, group)
  requestInfo(turn, group.master)
}

function noteRefusal(turn: Turn, node: DataInstance, text: string): void {
  log(turn, 'warning', `${describe(turn.state, node)} cannot be fenced: ${text}`)
  const [, term] = /^STALETERM this node is in term (\d{1,16}) /.exec(text) ?? []
  if (term === undefined) return
  const name = describe(turn.state, node)
  const speaker = { door: 'answer', name, peer: undefined, isVoter: true } as const
  learnEpoch(turn, node.group, Number(term), speaker)
}

function standingOf(reply: Reply): Standing | undefined {
  if (reply.kind !== 'array') return undefined
  const words = reply.items.map((item) => (item.kind === 'bulk' ? item.bytes : ''))
  const [, lastTerm = NaN, offset = NaN] = words.map(Number)
  const kind = words[3]
  if (!Number.isSafeInteger(lastTerm) || !Number.isSafeInteger(offset)) return undefined
  return kind === 'voter' || kind === 'behind' || kind === 'new'
    ? { lastTerm, offset, kind }
    : undefined
}

function wakeAt(turn: Turn, group: Group, atMs: number): void {
  turn.state.timers.set(group, 'failover', atMs)
}
