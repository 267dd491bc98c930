/** `vedette explain`: what would happen to a group if its master died now, a host were lost or a link cut. */
import { printJson } from '../json-answer.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from '../report.ts'
import { silentLines } from '../status/silence.ts'
import { EXIT_NO_ANSWER } from '../status/status.ts'
import type { SentinelAnswer } from '../status/view.ts'
import { accidentOf, masterDies, membersOf } from './accident.ts'
import { forecast } from './forecast.ts'
import type { GroupLayout } from './layout.ts'
import { type ExplainAccess, lookAtGroup } from './look.ts'
import { explainText } from './text.ts'
import { isBad, weakestPoint } from './weakest.ts'

export interface ExplainOptions extends ExplainAccess {
  /** Hosts, or `host:port` for single processes. */
  readonly lose?: readonly string[]
  readonly cut?: readonly (readonly [string, string])[]
  readonly json?: boolean
}

/** The exit status says whether there would be a master that takes writes. */
export async function runExplain(group: string, options: ExplainOptions): Promise<number> {
  const { layout, sentinels } = await lookAtGroup(group, options)
  if (layout === undefined) return tellNothing(group, sentinels)
  const { lose = [], cut = [], json } = options
  const isAsked = lose.length + cut.length > 0
  const { accident, unknown } = isAsked
    ? accidentOf(layout, lose, cut)
    : { accident: masterDies(layout), unknown: undefined }
  if (unknown !== undefined) return refuse(layout, unknown)
  const told = forecast(layout, accident)
  const weakness = weakestPoint(layout)
  if (json === true) {
    const { master, facts } = layout
    const nodes = Object.fromEntries(facts)
    printJson({ group, master: master.address, ...told, weakest: weakness, nodes })
  } else {
    const columns = process.stdout.isTTY ? process.stdout.columns || undefined : undefined
    process.stdout.write(`${explainText(layout, told, weakness, columns)}\n`)
  }
  return isBad(told) ? EXIT_FAILED : 0
}

/** No Sentinel answers, or none of those that do watches the group. */
export function tellNothing(group: string, sentinels: readonly SentinelAnswer[]): number {
  const silent = sentinels.filter(({ failure }) => failure !== undefined)
  const isAll = silent.length === sentinels.length
  for (const line of silentLines(silent, isAll)) say(line)
  if (isAll) return EXIT_NO_ANSWER
  const names = new Set(sentinels.flatMap(({ groups }) => groups.map(({ name }) => name)))
  const known = names.size === 0 ? 'they watch no group' : `they watch ${[...names].join(', ')}`
  say(`vedette: no Sentinel that answers watches '${group}'; ${known}`)
  return EXIT_CONFIG
}

function refuse(layout: GroupLayout, place: string): number {
  const members = membersOf(layout)
  const known = new Set(members.flatMap(({ host, address }) => [host, address]))
  say(`vedette: nothing of ${layout.group} runs at '${place}'`)
  say(`  its members run at ${[...known].join(', ')}`)
  return EXIT_CONFIG
}
