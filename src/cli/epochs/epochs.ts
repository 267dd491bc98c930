/** `vedette epochs`: shows the epochs of a fleet, and lowers them if they are used up or far apart. */
import { randomUUID } from 'node:crypto'
import { OUT_OF_REACH } from '../../core/election/new-epoch.ts'
import { reasonOf } from '../../io/start-error.ts'
import { printJson } from '../json-answer.ts'
import { EXIT_FAILED, failureTold, say } from '../report.ts'
import { type AccessOptions, connect, readAccess, type SentinelLogin } from '../status/access.ts'
import { askAll } from '../status/ask.ts'
import { type Asking, printable } from '../status/asking.ts'
import { withGrant } from '../status/grant.ts'
import { silentLines } from '../status/silence.ts'
import { DEFAULT_SENTINEL_ADDRESS, EXIT_NO_ANSWER } from '../status/status.ts'
import type { SentinelAnswer } from '../status/view.ts'
import { type EpochsVerdict, epochsJson, type UnknownEpochs } from './epochs-json.ts'
import { type EpochReport, isPoisoned, newEpoch, obstaclesTo, readReport } from './epochs-plan.ts'

export interface EpochsOptions extends AccessOptions {
  readonly sentinel?: readonly string[]
  readonly lower?: boolean
  readonly json?: boolean
}

/** A Sentinel that takes part. */
interface Member {
  readonly client: Asking
  report: EpochReport
}

export async function runEpochs(options: EpochsOptions): Promise<number> {
  const access = readAccess(options)
  const views = await askAll(options.sentinel ?? [DEFAULT_SENTINEL_ADDRESS], access)
  const answering = views.filter(({ failure }) => failure === undefined)
  const unheard = views.filter(({ failure }) => failure !== undefined)
  const silent = unheard.map(({ address, failure = '' }) => ({ address, reason: failure }))
  for (const line of silentLines(unheard, answering.length === 0)) say(line)
  const isJson = options.json === true
  const write = (text: string) => isJson || process.stdout.write(`${text}\n`)
  const answer = (...found: Parameters<typeof epochsJson>) =>
    isJson && printJson(epochsJson(...found))
  if (answering.length === 0) {
    answer({ outcome: 'silent' }, [], silent, failureTold())
    return EXIT_NO_ANSWER
  }
  const members: Member[] = []
  try {
    const strangers = await join(members, answering, access)
    for (const { report } of members) write(lineOf(report))
    const verdict = await decide(members, strangers.map(strangerWords), options.lower === true)
    const unknown = [...silent, ...strangers]
    const result = resultOf(verdict, unknown.length)
    if (result !== undefined) write(result)
    if (verdict.outcome === 'sound' || verdict.outcome === 'unknown')
      for (const { address, program, reason } of strangers)
        say(`vedette: the epochs of ${address} (${program}) are not known: ${reason}`)
    if (verdict.outcome === 'sound') for (const line of strangeEpochs(answering)) say(line)
    const reports = members.map(({ report }) => report)
    const isFailure = result === undefined
    answer(verdict, reports, unknown, isFailure ? failureTold() : undefined)
    return isFailure ? EXIT_FAILED : 0
  } finally {
    for (const { client } of members) client.disconnect()
  }
}

/** Undefined: the epochs are not as they should be, and it has been said why. `unknown`: how many Sentinels told none. */
export function resultOf({ outcome, epoch }: EpochsVerdict, unknown: number): string | undefined {
  if (outcome === 'sound') {
    if (unknown === 0) return 'all epochs are sound'
    return `these epochs are sound; those of ${unknown} more are not known`
  }
  if (outcome === 'lowered') return `all epochs are lowered to ${epoch}`
  return outcome === 'released' ? 'the epochs are in use again' : undefined
}

/**
 * A Sentinel that was left behind knows none of the others, so those were not asked: its own epochs are sound, and
 * what it refuses is theirs. A stranger may have made it up as well.
 */
function strangeEpochs(views: readonly SentinelAnswer[]): readonly string[] {
  const refused = views.flatMap(({ address, remarks }) =>
    remarks.filter(({ text }) => text.includes(OUT_OF_REACH)).map(({ text }) => [address, text]),
  )
  const lines = new Set(refused.map(([address, text]) => `vedette: Sentinel ${address}: ${text}`))
  if (lines.size === 0) return []
  const how =
    'if that is one of your Sentinels, ask it as well: --sentinel HOST:PORT, once for each'
  return [...lines, `  ${how}`]
}

/** Connects to all; returns those that cannot take part. */
async function join(
  members: Member[],
  views: readonly SentinelAnswer[],
  access: SentinelLogin,
): Promise<readonly UnknownEpochs[]> {
  const strangers: UnknownEpochs[] = []
  for (const { address, program } of views) {
    const client = connect(address, access)
    const reply = await client
      .open()
      .then(() => client.call('SENTINEL', 'EPOCHS'))
      .catch((error: unknown) => new Error(reasonOf(error)))
    const report = readReport(address, reply)
    if (report !== undefined) {
      members.push({ client, report })
      continue
    }
    client.disconnect()
    const reason =
      reply instanceof Error
        ? withGrant(printable(reply.message), access.user)
        : 'it does not know its epochs'
    strangers.push({ address, program, reason })
  }
  return strangers
}

function strangerWords({ address, program, reason }: UnknownEpochs): string {
  return `${address} (${program}) cannot take part: ${reason}. ${STOP_IT}`
}

const STOP_IT =
  'Stop it, and SENTINEL RESET the group at the others; docs/operations.md says what to do with its file'

async function decide(
  members: readonly Member[],
  strangers: readonly string[],
  mayLower: boolean,
): Promise<EpochsVerdict> {
  const reports = members.map(({ report }) => report)
  if (reports.length === 0) return { outcome: 'unknown' }
  const isNeeded = reports.some(isPoisoned)
  const isUnderWay = reports.some(({ phase }) => phase !== 'running')
  if (!isNeeded && !isUnderWay) return { outcome: 'sound' }
  const obstacles = [...strangers, ...obstaclesTo(reports)]
  if (isNeeded) for (const text of obstacles) say(`vedette: ${text}`)
  if (!mayLower) {
    say('vedette: these epochs keep Sentinels from voting; `vedette epochs --lower` lowers them')
    return { outcome: 'unsound', obstacles }
  }
  if (isNeeded && obstacles.length > 0) return { outcome: 'refused', obstacles }
  return isNeeded ? await lowerAll(members) : await finish(members)
}

/** An earlier run was interrupted when all numbers were valid already: only its freeze is left. */
async function finish(members: readonly Member[]): Promise<EpochsVerdict> {
  const token = randomUUID()
  const frozen = members.filter(({ report }) => report.phase !== 'running')
  const isFrozen = await callAll(frozen, () => ['FREEZE', token])
  const isDone =
    isFrozen &&
    (await callAll(frozen, ({ report }) => [
      report.phase === 'lowered' ? 'RELEASE' : 'CANCEL',
      token,
    ]))
  return isDone ? { outcome: 'released' } : incomplete()
}

async function lowerAll(members: readonly Member[]): Promise<EpochsVerdict> {
  const token = randomUUID()
  if (!(await callAll(members, () => ['FREEZE', token]))) return await withdraw(members, token, [])
  // The earlier reports may be old: these come from frozen Sentinels.
  const reports = members.map(({ report }) => report)
  const obstacles = obstaclesTo(reports)
  for (const text of obstacles) say(`vedette: ${text}`)
  if (obstacles.length > 0) return await withdraw(members, token, obstacles)
  const to = newEpoch(reports)
  const ids = reports.map(({ myid }) => myid)
  const isDone =
    (await callAll(members, () => ['LOWER', token, String(to), ...ids])) &&
    (await callAll(members, () => ['RELEASE', token]))
  return isDone ? { outcome: 'lowered', epoch: to } : incomplete()
}

/**
 * Nothing has been lowered in this run; if nothing was in an earlier one either, everything
 * continues as it was.
 */
async function withdraw(
  members: readonly Member[],
  token: string,
  obstacles: readonly string[],
): Promise<EpochsVerdict> {
  const isUntouched = members.every(({ report }) => report.phase !== 'lowered')
  const frozen = members.filter(({ report }) => report.phase === 'frozen')
  if (isUntouched && (await callAll(frozen, () => ['CANCEL', token]))) {
    say('vedette: nothing was lowered; the Sentinels continue as before')
    return { outcome: 'refused', obstacles }
  }
  return incomplete()
}

/** Sends the same step to each; false, with a message, if one refuses or does not answer. */
async function callAll(
  members: readonly Member[],
  words: (member: Member) => readonly string[],
): Promise<boolean> {
  let isWell = true
  for (const member of members) {
    const { client, report } = member
    const reply = await client
      .call('SENTINEL', 'EPOCHS', ...words(member))
      .catch((error: unknown) => new Error(reasonOf(error)))
    if (reply instanceof Error) {
      say(`vedette: Sentinel ${report.address} refuses: ${printable(reply.message)}`)
      isWell = false
      break
    }
    member.report = readReport(report.address, reply) ?? report
  }
  return isWell
}

function incomplete(): EpochsVerdict {
  say(
    'vedette: not complete. Sentinels that are frozen stay so: run `vedette epochs --lower` again',
  )
  return { outcome: 'incomplete' }
}

function lineOf({ address, phase, currentEpoch, groups }: EpochReport): string {
  const each = groups.map(({ name, master, configEpoch, leaderEpoch }) => {
    return `${name} ${master} config epoch ${configEpoch}, last vote ${leaderEpoch}`
  })
  const state = phase === 'running' ? '' : ` (${phase})`
  return [`${address}${state}: epoch ${currentEpoch}`, ...each].join('; ')
}
