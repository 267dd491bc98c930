/** A forecast as text: what would happen, which Sentinels would act, how long it would take, what it would cost. */
import { colors as pc } from '../colors.ts'
import { silence } from '../status/silence.ts'
import { cell, type FittedColumn, table, wrapped } from '../table.ts'
import type { Forecast, HeadCount, SentinelForecast } from './forecast.ts'
import type { GroupLayout } from './layout.ts'
import type { Loss, TimeSpan } from './loss.ts'
import { type HostLoss, isBad, type Weakness } from './weakest.ts'

/** For a terminal of so many columns; no line break at the end. */
export function explainText(
  layout: GroupLayout,
  told: Forecast,
  weakness: Weakness,
  columns = Number.POSITIVE_INFINITY,
): string {
  const fold = (lines: readonly string[]) => lines.flatMap((line) => folded(line, columns))
  return [
    ...fold(forecastLines(layout, told)),
    '',
    pc.bold('If one of these is lost'),
    ...hostRows(weakness.losses, columns),
    '',
    ...fold([
      weakness.text,
      ...(weakness.advice === '' ? [] : [`What to do: ${weakness.advice}.`]),
      ...silentNodes(layout),
      ...(layout.chained === undefined ? [] : [layout.chained]),
    ]),
  ].join('\n')
}

function folded(line: string, columns: number): readonly string[] {
  const indent = /^ */.exec(line)?.[0] ?? ''
  const room = columns - indent.length
  return wrapped(line.trimStart().split(' '), ' ', room, 2).map((part) => `${indent}${part}`)
}

function forecastLines(layout: GroupLayout, told: Forecast): readonly string[] {
  const { outcome, text, accident, obstacles, cautions } = told
  const paint = outcome === 'stuck' ? pc.red : outcome === 'switches' ? pc.green : pc.bold
  const mark = outcome === 'stuck' ? '✘' : isBad(told) ? '!' : '✔'
  const isQuiet = told.sentinels.every(({ fate }) => fate === 'sees-no-change')
  return [
    `${pc.bold(layout.group)}: if ${accident}`,
    `  ${paint(mark)} ${text}`,
    ...(isQuiet ? [] : watcherLines(told)),
    ...successionLines(told),
    ...costLines(told),
    ...(obstacles.length > 0 ? [] : cautions.map((caution) => `  ${pc.yellow('!')} ${caution}`)),
  ]
}

function watcherLines({ sentinels, agree, elect, outcome }: Forecast): readonly string[] {
  const watchers = sentinels.map((one) => `    ${one.sentinel}  ${FATES[one.fate](one)}`)
  // As long as no Sentinel loses the master, there is nothing to agree on.
  const isLost = outcome === 'stuck' || sentinels.some(({ fate }) => fate === 'notices')
  if (!isLost) return ['  which Sentinels would notice:', ...watchers]
  return [
    '  which Sentinels would notice:',
    ...watchers,
    `  ${headCount(agree, 'would see it down (quorum)')}; ${headCount(elect, 'could vote')}`,
  ]
}

function headCount({ count, needed }: HeadCount, what: string): string {
  return `${count} ${what}, ${needed} ${needed === 1 ? 'is' : 'are'} needed${count < needed ? ': too few' : ''}`
}

const FATES: Readonly<Record<SentinelForecast['fate'], (one: SentinelForecast) => string>> = {
  notices: ({ by, noticesMs }) =>
    by === 'already'
      ? 'already sees it down'
      : `after ${spanText(noticesMs ?? { from: 0, to: 0 })}, ${by === 'refusal' ? 'when connections are refused and a replica confirms it' : 'when it has been silent for too long'}`,
  'sees-no-change': () => 'would not notice anything',
  lost: () => 'is lost, too',
  down: () => 'is down now',
  tilted: () => 'is in TILT and does not act',
  elsewhere: () => 'watches another master, and has no vote about this one',
}

function successionLines({ leader, promoted, others, outcome }: Forecast): readonly string[] {
  const first = outcome !== 'switches' ? [] : [`  leader: ${leader ?? 'chance decides'}`]
  return [
    ...first,
    ...(promoted === null ? [] : [`  promoted: ${promoted}`]),
    ...others.map(({ address, reason }) => `    not ${address}: ${reason}`),
  ]
}

function costLines({ takesMs, loss }: Forecast): readonly string[] {
  if (takesMs === null || loss === null) return []
  return [
    `  writes would be accepted again after ${spanText(takesMs)}, plus about ten network round trips; clients must reconnect`,
    `  lost: ${lossText(loss)}`,
  ]
}

function lossText({ isNothing, behindBytes, toldAgoMs, goesOn }: Loss): string {
  if (isNothing) return 'nothing that was acknowledged (replication: strict)'
  const ago = toldAgoMs === null ? '' : ` (the master reported this ${spanOf(toldAgoMs)} ago)`
  const behind =
    behindBytes === null
      ? 'whatever the replica has not received; the master does not report how much'
      : behindBytes === 0
        ? `only the writes of the last moment: the replica had everything${ago}`
        : `${behindBytes} bytes that the replica has not acknowledged${ago}`
  if (goesOn === null) return behind
  const amount = goesOn.bytes === null ? '' : ` (${goesOn.bytes} bytes at its current rate)`
  const fence = goesOn.isFenced
    ? ', until min-replicas-to-write stops it'
    : ' or longer, as long as it is cut off: min-replicas-to-write does not stop it'
  return `${behind}; and the writes that the old master still acknowledges for ${spanOf(goesOn.forMs)}${amount}${fence}`
}

function spanText({ from, to }: TimeSpan): string {
  const [a, b] = [spanOf(from), spanOf(to)]
  return a === b ? a : `${a} to ${b}`
}

function spanOf(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(2))} s`
}

const COLUMNS: readonly FittedColumn[] = [
  { head: 'LOST' },
  { head: 'RUNS', spare: 2 },
  { head: 'THEN' },
  { head: 'AFTER', spare: 1 },
  { head: 'ONE MORE' },
]

function hostRows(losses: readonly HostLoss[], columns: number): readonly string[] {
  const rows = losses.map(({ place, holds, forecast, survivesAnother }) => {
    const { takesMs } = forecast
    return [
      cell(place),
      cell(holds, pc.dim),
      cell(thenText(forecast), isBad(forecast) ? pc.red : undefined),
      cell(takesMs === null ? '' : spanText(takesMs)),
      cell(survivesAnother ? 'survived' : 'no failover', survivesAnother ? undefined : pc.yellow),
    ]
  })
  return table(COLUMNS, rows, columns)
}

function thenText({ outcome, promoted, refusesWrites }: Forecast): string {
  const fence = refusesWrites ? ', refuses writes' : ''
  if (outcome === 'switches') return `${promoted} is master${fence}`
  return outcome === 'keeps' ? `same master${fence}` : 'no master'
}

/** The nodes that did not answer everything, so that a reader does not take silence for health. */
function silentNodes({ facts }: GroupLayout): readonly string[] {
  return [...facts].flatMap(([address, { failure, unread }]) => {
    if (failure !== undefined) {
      const known = 'what stands here about it comes from its Sentinels'
      return [pc.dim(`${silence(address, failure)}; ${known}${loginHint(failure)}`)]
    }
    if (unread === '') return []
    return [pc.dim(`${address} does not let us read min-replicas-to-write: ${unread}`)]
  })
}

function loginHint(failure: string): string {
  return /^(NOAUTH|WRONGPASS) /.test(failure) ? ' (--node-user and --node-pass give a login)' : ''
}
