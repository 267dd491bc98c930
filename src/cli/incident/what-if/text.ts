/** What an incident would have come to, in lines and for scripts. */
import { countOf } from '../../../base/count-of.ts'
import { formatDuration } from '../../../scenario/duration.ts'
import { medianOf } from './median.ts'
import { NEAR_ENOUGH, type PlayedOutcome, type Variant, type WhatIf, worstOf } from './what-if.ts'

const FIRST_COLUMN = 34
const COLUMN = 26

export function whatIfLines(told: WhatIf): readonly string[] {
  const { first, last } = told.seeds
  const row = (title: string, cellOf: (variant: Variant) => string) =>
    [title.padEnd(FIRST_COLUMN), ...told.variants.map((one) => cellOf(one).padEnd(COLUMN))]
      .join('')
      .trimEnd()
  return [
    `what if, over the seeds ${first}..${last} (median, worst)`,
    ...reproducedLines(told),
    '',
    row('', nameOf),
    row('no Sentinel named a new master', (one) => timesOf(one, ({ switchedMs }) => switchedMs)),
    row('an application could not write', (one) => timesOf(one, ({ outageMs }) => outageMs)),
    row('its acknowledged writes lost', lostOf),
    row('failovers', ({ outcomes }) =>
      pair(
        outcomes.map((one) => one.failovers),
        String,
      ),
    ),
    row('false alarms in the records', ({ falseAlarms }) => String(falseAlarms)),
    '',
    `a false alarm is an answer that came, later than down-after: the records have ${formatDuration(Math.round(told.real.recordedMs / 1_000) * 1_000)}`,
  ]
}

function reproducedLines({ real, variants, strayed }: WhatIf): readonly string[] {
  const played = medianOf((variants[0]?.outcomes ?? []).map((one) => one.switchedMs))
  const was = real.switchedMs === undefined ? 'nobody took its place' : time(real.switchedMs)
  const is = played === undefined ? 'nobody took its place' : time(played)
  const told = `from the loss of the master to a new one: really ${was}, played with the settings as they were ${is}`
  if (strayed === undefined) return [told, NOT_NEAR]
  const percent = `${Math.round(strayed * 100)} % off`
  return strayed <= NEAR_ENOUGH ? [`${told}: ${percent}`] : [`${told}: ${percent}`, NOT_NEAR]
}

const NOT_NEAR =
  'that is not near enough: the scenario lacks something that happened, and the table does not tell of this incident'

function nameOf({ changes }: Variant): string {
  if (changes.length === 0) return 'as it was'
  return changes.map(([name, value]) => `${name}=${value}`).join(' ')
}

function timesOf({ outcomes }: Variant, of: (one: PlayedOutcome) => number | undefined): string {
  return pair(outcomes.map(of), time)
}

function lostOf({ outcomes }: Variant): string {
  return pair(
    outcomes.map(({ lost }) => lost),
    String,
  )
}

function pair(values: readonly (number | undefined)[], text: (value: number) => string): string {
  const shown = [medianOf(values), worstOf(values)].map((one) =>
    one === undefined ? '-' : text(one),
  )
  return shown.join(', ')
}

function time(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`
}

export function whatIfJson({ real, seeds, variants, strayed }: WhatIf): object {
  return {
    seeds: countOf(seeds.last - seeds.first + 1, 'seed'),
    realMs: real.switchedMs ?? null,
    strayed: strayed ?? null,
    isNearEnough: strayed !== undefined && strayed <= NEAR_ENOUGH,
    variants: variants.map(({ changes, outcomes, falseAlarms }) => ({
      settings: Object.fromEntries(changes),
      falseAlarms,
      runs: outcomes.map((one) => ({
        switchedMs: one.switchedMs ?? null,
        outageMs: one.outageMs,
        lost: one.lost ?? null,
        failovers: one.failovers,
      })),
    })),
  }
}
