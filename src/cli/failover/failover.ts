/**
 * `vedette failover`: a planned change of the master, and the wait until every Sentinel knows; or, with
 * --dry-run, what it would be.
 */

import { setTimeout } from 'node:timers/promises'
import { hostAndPort } from '../../base/ip.ts'
import { utf8Bytes } from '../../base/utf8.ts'
import type { FailoverPlan } from '../../core/failover/failover-plan.ts'
import { reasonOf, StartError } from '../../io/start-error.ts'
import { printJson } from '../json-answer.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from '../report.ts'
import {
  type AccessOptions,
  connect,
  readAccess,
  type SentinelLogin,
  splitAddress,
} from '../status/access.ts'
import { askAll } from '../status/ask.ts'
import type { Asking, ReplyValue } from '../status/asking.ts'
import { grantFor } from '../status/grant.ts'
import { groupNamed, isUnknownGroup, type NamedGroup } from '../status/group-named.ts'
import { parseInfo } from '../status/info.ts'
import { type GroupReport, judge } from '../status/judge.ts'
import { pauseWords } from '../status/pause-words.ts'
import { namesAsked, readAddress, readMasters } from '../status/shapes.ts'
import { isRefusal, silence, wayOut } from '../status/silence.ts'
import { DEFAULT_SENTINEL_ADDRESS, EXIT_NO_ANSWER } from '../status/status.ts'
import { isVedette } from '../status/view.ts'
import { StatusLine } from '../status-line.ts'
import { planText, readPlan } from './plan-text.ts'

export interface FailoverOptions extends AccessOptions {
  readonly sentinel?: readonly string[]
  readonly coordinated?: boolean
  /** `host:port` of the replica to promote; undefined: the best one. */
  readonly to?: string
  readonly dryRun?: boolean
  readonly json?: boolean
  readonly wait?: boolean
  /** Milliseconds. */
  readonly timeout: number
  /** Milliseconds for which a Sentinel that refuses is asked again; without it: not at all. */
  readonly retryMs?: number
}

const POLL_MS = 100
/** One look waits no longer for a Sentinel: a frozen one must not hold up the news of all others. */
const LOOK_MS = 1_000

export async function runFailover(group: string, options: FailoverOptions): Promise<number> {
  const access = readAccess(options)
  const addresses = options.sentinel ?? [DEFAULT_SENTINEL_ADDRESS]
  const found = await findSentinel(addresses, group, { access, user: options.user })
  if (found === undefined) return EXIT_NO_ANSWER
  try {
    const look = (patienceMs?: number) => askAll(addresses, access, patienceMs)
    return await failOver(found, options, { look, access })
  } finally {
    found.sentinel.disconnect()
  }
}

/** How the other Sentinels of the group are found. */
interface Others {
  /** Without a limit: as patient as `vedette status`. */
  readonly look: (patienceMs?: number) => ReturnType<typeof askAll>
  readonly access: SentinelLogin
}

/** The Sentinel that is given the order, and what it said of the group. */
interface Found {
  readonly sentinel: Asking
  readonly named: NamedGroup
  /** The master before the failover. */
  readonly before: string | undefined
}

interface Login {
  readonly access: SentinelLogin
  readonly user: string | undefined
}

/** The first Sentinel that answers: any Sentinel can lead a failover that it was asked for. */
async function findSentinel(
  addresses: readonly string[],
  group: string,
  login: Login,
): Promise<Found | undefined> {
  const failures: string[] = []
  for (const address of addresses) {
    const found = await meet(address, group, login)
    if (typeof found !== 'string') return found
    failures.push(found)
    say(`vedette: ${silence(`Sentinel ${address}`, found)}`)
  }
  say(`  ${wayOut(failures)}`)
  return undefined
}

/** The reason if it does not answer: one that is frozen accepts connections all the same. */
async function meet(
  address: string,
  group: string,
  { access, user }: Login,
): Promise<Found | string> {
  const sentinel = connect(address, access)
  const failure = await sentinel.open().then(() => undefined, reasonOf)
  if (failure !== undefined) return failure
  const named = await groupNamed(sentinel, group)
  try {
    return { sentinel, named, before: await masterOf(sentinel, named.word) }
  } catch (error) {
    sentinel.disconnect()
    const reason = reasonOf(error)
    if (!isRefusal(reason)) return reason
    const hint = grantFor(reason, user) ?? '`vedette status` asks the others as well'
    throw new StartError('E_SENTINEL', reason, hint)
  }
}

async function failOver(
  { sentinel, named, before }: Found,
  options: FailoverOptions,
  others: Others,
): Promise<number> {
  const { shown: group } = named
  await tellPause(sentinel, named, options.user)
  await tellTilt(sentinel)
  const answer = await giveOrderToOneThatKnows(sentinel, named, options, others)
  if (answer.refusal !== undefined) {
    const hint = grantFor(answer.refusal, options.user) ?? hintFor(answer.refusal)
    say(`vedette: the Sentinel refuses: ${answer.refusal}`)
    say(`  ${hint}`)
    const told = { refusal: answer.refusal, error: answer.refusal, hint }
    if (options.json) printJson({ group, done: false, ...told })
    return isUnknownGroup(answer.refusal) ? EXIT_CONFIG : EXIT_FAILED
  }
  if (options.dryRun === true) return showPlan(group, readPlan(answer.reply), options)
  if (options.wait !== true) {
    if (options.json) printJson({ group, done: false, begun: true, from: before })
    else process.stdout.write(`failover of ${group} begun; master so far: ${before}\n`)
    return 0
  }
  return await untilSwitched(group, before ?? '', options, others.look)
}

/**
 * An order goes past a pause; whoever gives it should know that somebody has asked for quiet. An operator who may look
 * has the right to ask for all groups, and not for one.
 */
async function tellPause(
  sentinel: Asking,
  { word, shown }: NamedGroup,
  user: string | undefined,
): Promise<void> {
  const master = await sentinel.call('SENTINEL', 'MASTERS').then(
    (reply) => readMasters(reply)[namesAsked(reply).indexOf(word)],
    (error: unknown) => tellUnknownPause(shown, reasonOf(error), user),
  )
  // redis-sentinel knows no pause.
  const pause = master && pauseWords(master)
  if (pause === undefined) return
  say(`note: automatic failover of ${shown} is ${pause.who} (${pause.left} left)`)
  say('  an order is carried out all the same, and the pause goes on')
}

function tellUnknownPause(group: string, reason: string, user: string | undefined): undefined {
  say(`note: whether automatic failover of ${group} is paused is not known: ${reason}`)
  const grant = grantFor(reason, user)
  if (grant !== undefined) say(`  ${grant}`)
  return undefined
}

/** A Sentinel in TILT accepts an order and does nothing of it before TILT is over: half a minute of silence. */
async function tellTilt(sentinel: Asking): Promise<void> {
  // A user may lack the right to ask; the failover comes all the same.
  const info = await sentinel.call('INFO', 'sentinel').then(
    (reply) => parseInfo(String(reply)),
    () => undefined,
  )
  if (info?.get('sentinel_tilt') !== '1') return
  say(
    `note: this Sentinel is in TILT, for ${Number(info.get('sentinel_tilt_since_seconds'))} s so far`,
  )
  say('  it carries an order out when that is over; another one (--sentinel) begins at once')
}

interface OrderAnswer {
  readonly reply: ReplyValue
  readonly refusal: string | undefined
}

/**
 * redis-sentinel knows no word behind the name of the group, and Valkey 9 only COORDINATED. In a mixed group a Vedette
 * Sentinel takes the order instead.
 */
async function giveOrderToOneThatKnows(
  sentinel: Asking,
  { word, shown }: NamedGroup,
  options: FailoverOptions,
  { look, access }: Others,
): Promise<OrderAnswer> {
  const answer = await giveOrder(sentinel, word, options)
  if (!isUnknownWord(answer.refusal)) return answer
  const ours = (await look()).find(
    (view) => isVedette(view) && view.groups.some(({ name }) => name === shown),
  )
  if (ours === undefined) return answer
  say(`note: the Sentinel that was asked does not know this order: ${ours.address} takes it`)
  const client = connect(ours.address, access)
  try {
    await client.open()
    return await giveOrder(client, word, options)
  } catch (error) {
    return refused(error)
  } finally {
    client.disconnect()
  }
}

function isUnknownWord(refusal: string | undefined): boolean {
  return /wrong number of arg|Unknown failover option/.test(refusal ?? '')
}

/** NOGOODSLAVE passes when a replica is back, and INPROG when what is under way is done. */
async function giveOrder(
  sentinel: Asking,
  word: string,
  options: FailoverOptions,
): Promise<OrderAnswer> {
  const endMs = performance.now() + (options.retryMs ?? 0)
  for (;;) {
    const answer = await sentinel
      .call('SENTINEL', 'FAILOVER', word, ...orderWords(options))
      .then((reply): OrderAnswer => ({ reply, refusal: undefined }), refused)
    const mayPass = /^(NOGOODSLAVE|INPROG)/.test(answer.refusal ?? '')
    if (!mayPass || performance.now() >= endMs) return answer
    await setTimeout(POLL_MS)
  }
}

function orderWords({ coordinated, to, dryRun }: FailoverOptions): readonly string[] {
  const place = to === undefined ? undefined : splitAddress(to)
  return [
    ...(coordinated === true ? ['COORDINATED'] : []),
    ...(place === undefined ? [] : ['TO', utf8Bytes(place.host), String(place.port)]),
    ...(dryRun === true ? ['DRYRUN'] : []),
  ]
}

function refused(error: unknown): OrderAnswer {
  return { reply: null, refusal: reasonOf(error) }
}

/** The exit status says whether the failover would be possible. */
function showPlan(group: string, plan: FailoverPlan, { json }: FailoverOptions): number {
  if (json) printJson({ group, dryRun: true, ...plan })
  else process.stdout.write(`${planText(group, plan)}\n`)
  return plan.possible ? 0 : EXIT_FAILED
}

async function masterOf(sentinel: Asking, word: string): Promise<string | undefined> {
  const reply = await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', word)
  const address = readAddress(reply)
  return address === undefined ? undefined : hostAndPort(...address)
}

/** What to do about each possible refusal. */
function hintFor(refusal: string): string {
  if (refusal.startsWith('NOGOODSLAVE'))
    return '`vedette failover … --dry-run` tells what is wrong with each replica'
  if (refusal.startsWith('INPROG'))
    return 'a failover is already running: `vedette status --watch` shows it'
  if (refusal.startsWith('NOGOODPRIMARY')) {
    return refusal.includes('does not support')
      ? 'leave --coordinated out, or run a master of 6.2 or newer'
      : 'leave --coordinated out: a failover without it does not need the master'
  }
  if (isUnknownWord(refusal)) {
    return 'only Vedette Sentinels know --to and --dry-run, and they and Valkey 9 --coordinated: none that watches the group does'
  }
  if (isUnknownGroup(refusal)) return '`vedette status` lists the groups this Sentinel watches'
  return 'the log of the Sentinel may say more'
}

/** Ends when every Sentinel that answers names the same new master and none is at work any more. */
async function untilSwitched(
  group: string,
  before: string,
  { timeout: timeoutMs, json, coordinated }: FailoverOptions,
  look: Others['look'],
): Promise<number> {
  const line = new StatusLine()
  const startedAtMs = performance.now()
  let patienceMs: number | undefined = LOOK_MS
  for (;;) {
    const [report]: readonly GroupReport[] = judge(await look(patienceMs), group).groups
    // Where nobody answers so fast, the slow one is all there is to ask.
    if (report === undefined) patienceMs = undefined
    const tookMs = Math.round(performance.now() - startedAtMs)
    const master = report === undefined ? undefined : settledMaster(report)
    if (master !== undefined && master !== before) {
      line.clear()
      if (json) printJson({ group, done: true, from: before, to: master, tookMs })
      else process.stdout.write(`${group}: ${before} -> ${master} in ${tookMs} ms\n`)
      return 0
    }
    const isGivenUp = master === before
    if (isGivenUp || tookMs > timeoutMs) {
      line.clear()
      const what = isGivenUp ? 'was given up' : 'is not complete'
      const told = { refusal: what, error: `the failover ${what}` }
      if (json) printJson({ group, done: false, from: before, tookMs, ...told })
      say(`vedette: after ${tookMs} ms the failover of ${group} ${what}`)
      for (const { text } of report?.findings ?? []) say(`  ${text}`)
      if (isGivenUp) say(`  ${whereTheReasonIs(group, coordinated === true)}`)
      return EXIT_FAILED
    }
    line.show(`${group}: ${before} -> … ${tookMs} ms`)
    await setTimeout(POLL_MS)
  }
}

/** Only the Sentinel that led it has heard why, a refusal of the master for example. */
function whereTheReasonIs(group: string, isCoordinated: boolean): string {
  const log = 'the log of the Sentinel that was asked says why'
  if (!isCoordinated) return log
  return `${log}; \`vedette plan switchover ${group}\` tests the rights that a handover takes on the nodes`
}

/** The master that all Sentinels name; undefined while they differ or one is still at work. */
function settledMaster({ says }: GroupReport): string | undefined {
  const names = new Set(says.map(({ group }) => group.address))
  const isBusy = says.some(({ group }) => group.master['failover-state'] !== undefined)
  const [name] = names
  return names.size === 1 && !isBusy ? name : undefined
}
