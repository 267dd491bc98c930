/** What is said where named files and folders hold no record. */
import { runFoldersBelow } from '../../io/blackbox/records-at.ts'
import { say } from '../report.ts'

/** More than these would be no help. */
const MAX_NAMED = 5

export function sayNoRecord(
  what: 'record' | 'record of a Sentinel',
  paths: readonly string[],
): void {
  say(`vedette: there is no ${what} in ${paths.join(', ')}`)
  say(`  ${hintFor(runFoldersBelow(paths))}`)
}

function hintFor(runs: readonly string[]): string {
  if (runs.length === 0)
    return 'a Sentinel keeps one in <state file>.blackbox, unless its configuration says black-box: no'
  const named = runs.slice(0, MAX_NAMED).join(', ')
  const more = runs.length > MAX_NAMED ? ` and ${runs.length - MAX_NAMED} more` : ''
  return `each run has a folder of its own; name the one you mean: ${named}${more}`
}
