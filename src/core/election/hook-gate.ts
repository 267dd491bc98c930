/**
 * [pre-failover-hook] The operator may forbid a failover that is about to begin: a program or a service of
 * his is asked, and this Sentinel waits for the answer.
 *
 * It is asked at the last moment before the Sentinel stands for election, and not after it is elected. So
 * a refusal costs nothing: no epoch is begun, no vote is taken, and no other Sentinel has to wait. All
 * the hook can do is to delay this Sentinel, or to keep it from standing; which Sentinel may act is decided by the
 * votes, as ever.
 *
 * It cannot block for ever: the machine has a deadline of its own, whatever becomes of the question.
 * What happens then, or when the answer makes no sense, is the operator's choice
 * [pre-failover-hook-on-error]. After a refusal it is asked again, with growing pauses, for as long as the
 * master is down. A failover that an operator asks for [SENTINEL FAILOVER] is not put to the hook.
 */
import { announce, logQuietly } from '../events.ts'
import { inquire } from '../external-queries.ts'
import type { Answer } from '../external-query.ts'
import type { InquiryId } from '../ids.ts'
import type { Group, State, Turn } from '../state.ts'
import type { HookRequest, HookVerdict } from './hook-verdict.ts'

/** How long a permission holds: a lost election is repeated without asking again. */
const ALLOWED_MS = 30_000
/** The pause after a refusal doubles from the first to the last of these. */
const PAUSE_MIN_MS = 1_000
const PAUSE_MAX_MS = 30_000
/** The program around us ends what takes too long; a little later we no longer rely on it. */
const GRACE_MS = 250
const MAX_REASON_CHARS = 200

/**
 * Whether this Sentinel may stand now. If not, the hook has just been asked, and `considerFailover` is to
 * be called again at `hookOpenMs`, or when the answer is there.
 */
export function hookAllows(turn: Turn, group: Group): boolean {
  const { preFailoverHook, preFailoverHookTimeoutMs } = group.config
  if (preFailoverHook === '') return true
  const { hook } = group
  const nowMs = turn.now.monoMs
  if (hook?.kind === 'allowed' && nowMs < hook.untilMs) return true
  if (hook?.kind === 'asked' && nowMs < hook.untilMs) return false
  const inquiry = inquire(
    turn,
    {
      kind: 'preFailover',
      hook: preFailoverHook,
      timeoutMs: preFailoverHookTimeoutMs,
      request: requestOf(turn, group),
    },
    { kind: 'preFailover', group: group.config.name },
  )
  group.hook = {
    ...{ kind: 'asked', inquiry, sinceMs: nowMs, refusals: hook?.refusals ?? 0 },
    untilMs: nowMs + preFailoverHookTimeoutMs + GRACE_MS,
    reason: hook?.reason ?? '',
  }
  announce(turn, '+failover-hook-asked', group.master)
  return false
}

/**
 * The earliest moment at which the hook lets this Sentinel stand, as far as is known now. All Sentinels
 * ask at about the same time, and may hear at the same time; so `staggerMs` counts from the answer.
 */
export function hookOpenMs({ hook, config }: Group, staggerMs: number): number {
  if (hook === undefined || config.preFailoverHook === '') return 0
  return hook.kind === 'allowed' ? hook.sinceMs + staggerMs : hook.untilMs
}

/** An answer that should have been there by now. Called before anything else is considered. */
export function giveUpHook(turn: Turn, group: Group): void {
  const { hook, config } = group
  if (hook?.kind !== 'asked' || turn.now.monoMs < hook.untilMs) return
  const reason = `it did not answer within ${config.preFailoverHookTimeoutMs} ms`
  judge(turn, group, hook, { kind: 'failed', reason })
}

/** Takes the answer. One that comes too late, or for a failover that is no longer wanted, is ignored. */
export function noteHookAnswer(
  turn: Turn,
  groupName: string,
  inquiry: InquiryId,
  answer: Answer,
): Group | undefined {
  const group = turn.state.groups.get(groupName)
  const hook = group?.hook
  if (group === undefined || hook?.kind !== 'asked' || hook.inquiry !== inquiry) return undefined
  judge(turn, group, hook, answer)
  return group
}

function judge(turn: Turn, group: Group, hook: HookVerdict, answer: Answer): void {
  if (answer.kind === 'preFailover') {
    if (answer.allows) allow(turn, group, hook)
    else refuse(turn, group, hook, answer.reason)
    return
  }
  const fault = answer.kind === 'failed' ? answer.reason : 'its answer makes no sense'
  const decision = group.config.preFailoverHookOnError
  const reason = shortened(`${fault}: on-error says ${decision}`)
  if (hook.reason === reason) logQuietly(turn, '-failover-hook-failed', group.master, { reason })
  else announce(turn, '-failover-hook-failed', group.master, { reason })
  if (decision === 'proceed') allow(turn, group, { ...hook, reason })
  else pause(turn, group, { ...hook, reason })
}

function allow({ now }: Turn, group: Group, hook: HookVerdict): void {
  const sinceMs = now.monoMs
  group.hook = { ...hook, kind: 'allowed', sinceMs, untilMs: sinceMs + ALLOWED_MS, refusals: 0 }
}

function refuse(turn: Turn, group: Group, hook: HookVerdict, said: string): void {
  const reason = shortened(said === '' ? 'it gave no reason' : said)
  if (hook.reason === reason)
    logQuietly(turn, '-failover-refused-by-hook', group.master, { reason })
  else announce(turn, '-failover-refused-by-hook', group.master, { reason })
  pause(turn, group, { ...hook, reason })
}

function pause(turn: Turn, group: Group, hook: HookVerdict): void {
  const sinceMs = turn.now.monoMs
  const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** Math.min(hook.refusals, 10))
  const untilMs = sinceMs + pauseMs + jitterMs(turn.state, pauseMs)
  group.hook = { ...hook, kind: 'refused', sinceMs, untilMs, refusals: hook.refusals + 1 }
}

/** Up to a tenth: the Sentinels of a fleet should not ask one service in step. */
function jitterMs({ rng }: State, pauseMs: number): number {
  return rng.below(Math.ceil(pauseMs / 10))
}

function shortened(reason: string): string {
  const line = reason.split(/[\r\n]/, 1)[0] ?? ''
  return line.slice(0, MAX_REASON_CHARS)
}

function requestOf({ state, now }: Turn, group: Group): HookRequest {
  const { master, config, replicas } = group
  return {
    group: config.name,
    master: { host: config.host, port: config.port },
    epoch: state.currentEpoch + 1,
    downForMs: now.monoMs - (master.sdownSinceMs ?? now.monoMs),
    quorum: config.quorum,
    replicas: [...replicas.values()].map(({ host, port }) => ({ host, port })),
    by: state.myid,
  }
}
