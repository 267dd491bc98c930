/** [black-box] and its companions: the record that a Sentinel keeps of everything it is told. */
import { parseBytes } from '../server/settings/setting-types.ts'
import { type Apply, flag, integer, one } from './directive-words.ts'
import { type Draft, EXTENSION, refusal } from './sentinel-draft.ts'
import type { BlackBoxOptions } from './sentinel-file.ts'

/** A smaller record would hold less than the minutes before an incident. */
export const LEAST_BLACK_BOX_BYTES = 1024 * 1024
export const MOST_BLACK_BOX_DAYS = 3_650

/** The `black-box…` directives of a Sentinel's file, which redis-sentinel does not know. */
export const BLACK_BOX_DIRECTIVES: readonly (readonly [name: string, apply: Apply])[] = [
  ['black-box', extension(flag(({ blackBox }, isOn) => (blackBox.isOn = isOn)))],
  ['black-box-size', extension(one(setSize))],
  [
    'black-box-days',
    extension(integer(1, MOST_BLACK_BOX_DAYS, ({ blackBox }, days) => (blackBox.maxDays = days))),
  ],
]

/** The programs that read these options, and whether each keeps a record if its file does not say. */
const KEEPS_UNASKED = { sentinel: true, proxy: false }
type Keeper = keyof typeof KEEPS_UNASKED

/** With more groups a record grows so fast that its segments, which begin with an image of them all, become short. */
const MOST_GROUPS_UNASKED = 50

/** `groups`: how many a Sentinel watches. */
export function keepsRecord({ isOn }: BlackBoxOptions, keeper: Keeper, groups = 0): boolean {
  return isOn ?? (KEEPS_UNASKED[keeper] && groups <= MOST_GROUPS_UNASKED)
}

/** By name in sentinel.conf: what a restart is needed for. */
export function blackBoxReads(
  keeper: Keeper,
): readonly (readonly [name: string, read: (options: BlackBoxOptions) => unknown])[] {
  return [
    ['black-box', (options) => keepsRecord(options, keeper)],
    ['black-box-size', ({ maxBytes }) => maxBytes],
    ['black-box-days', ({ maxDays }) => maxDays],
  ]
}

function extension(apply: Apply): Apply {
  return (draft, words) => apply(draft, words) ?? EXTENSION
}

function setSize({ blackBox }: Draft, text: string) {
  const bytes = parseBytes(text)
  if (bytes === undefined) return refusal('E_TYPE', 'argument must be a memory value')
  if (bytes < LEAST_BLACK_BOX_BYTES) return refusal('E_RANGE', 'a black box needs 1mb at least')
  blackBox.maxBytes = bytes
  return undefined
}
