/** `vedette status`: what all Sentinels of a group think, side by side. */
import { printJsonText } from '../json-answer.ts'
import { EXIT_CONFIG } from '../report.ts'
import { type AccessOptions, readAccess } from './access.ts'
import { askAll } from './ask.ts'
import { statusJson } from './json.ts'
import { isSilent, judge, type StatusReport } from './judge.ts'
import { statusText } from './text.ts'
import { watchStatus } from './watch.ts'

export interface StatusOptions extends AccessOptions {
  readonly sentinel?: readonly string[]
  readonly watch?: boolean
  readonly json?: boolean
}

export const DEFAULT_SENTINEL_ADDRESS = '127.0.0.1:26379'

const EXIT_BY_HEALTH = { well: 0, trouble: 1, danger: 3 } as const
export const EXIT_NO_ANSWER = 4
/** Ended by Ctrl-C before there was an answer. */
const EXIT_INTERRUPTED = 130

/** The exit status is the health of the worst group; that of a wrong command line if no Sentinel watches the group. */
export async function runStatus(
  group: string | undefined,
  options: StatusOptions,
): Promise<number> {
  const access = readAccess(options)
  const addresses = options.sentinel ?? [DEFAULT_SENTINEL_ADDRESS]
  const look = async () => judge(await askAll(addresses, access), group)
  if (options.watch === true) {
    const last = await watchStatus(look, options.json === true)
    // At once: a round may still be under way, and it is not needed any more.
    process.exit(last === undefined ? EXIT_INTERRUPTED : exitStatus(last))
  }
  const report = await look()
  const columns = process.stdout.isTTY ? process.stdout.columns || undefined : undefined
  if (options.json === true) printJsonText(`${statusJson(report)}\n`)
  else process.stdout.write(`${statusText(report, columns)}\n`)
  return exitStatus(report)
}

function exitStatus({ sentinels, health, groups, only }: StatusReport): number {
  if (isSilent(sentinels)) return EXIT_NO_ANSWER
  const isUnknown = only !== undefined && groups.length === 0
  return isUnknown ? EXIT_CONFIG : EXIT_BY_HEALTH[health]
}
