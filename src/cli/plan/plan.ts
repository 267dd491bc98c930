/** `vedette plan`: the steps of a switchover, of an upgrade, or of the removal of a Sentinel. */
import { colors as pc } from '../colors.ts'
import { tellNothing } from '../explain/explain.ts'
import type { GroupLayout } from '../explain/layout.ts'
import { type ExplainAccess, lookAtGroup } from '../explain/look.ts'
import { printJson } from '../json-answer.ts'
import { EXIT_CONFIG, EXIT_FAILED, say } from '../report.ts'
import { splitAddress } from '../status/access.ts'
import type { SentinelAnswer } from '../status/view.ts'
import { wrapped } from '../table.ts'
import { askRights, withRights } from './sentinel-rights.ts'
import { type PlannedWork, planRemoval, planSwitchover, planUpgrade } from './steps.ts'

export interface PlanOptions extends ExplainAccess {
  /** `host:port` of the replica to hand over to; undefined: the best one. */
  readonly to?: string
  readonly json?: boolean
}

export type WorkOrder =
  | { readonly kind: 'switchover' }
  | { readonly kind: 'upgrade' }
  | { readonly kind: 'remove-sentinel'; readonly address: string }

/** The exit status says whether it could be begun now. */
export async function runPlan(
  group: string,
  work: WorkOrder,
  options: PlanOptions,
): Promise<number> {
  const { layout, sentinels } = await lookAtGroup(group, options, [
    'COORDINATED',
    ...targetWords(options.to),
  ])
  if (layout === undefined) return tellNothing(group, sentinels)
  const found = await withRightsFor(work, layout, planFor(layout, sentinels, work), options)
  const planned = found && typedHere(found, options)
  if (planned === undefined) {
    const known = layout.sentinels.map(({ address }) => address).join(', ')
    say(`vedette: no Sentinel of ${group} is known at this address`)
    say(`  the known ones are at ${known}`)
    return EXIT_CONFIG
  }
  const isPossible = planned.obstacles.length === 0
  if (options.json === true) {
    printJson({ group, plan: work.kind, possible: isPossible, ...planned })
  } else {
    const columns = process.stdout.isTTY ? process.stdout.columns || undefined : undefined
    process.stdout.write(`${planLines(group, planned, columns).join('\n')}\n`)
  }
  return isPossible ? 0 : EXIT_FAILED
}

/** The removal of a Sentinel asks nothing of nodes. */
async function withRightsFor(
  work: WorkOrder,
  layout: GroupLayout,
  planned: PlannedWork | undefined,
  options: PlanOptions,
): Promise<PlannedWork | undefined> {
  if (planned === undefined || work.kind === 'remove-sentinel') return planned
  return withRights(planned, await askRights(layout, options), layout)
}

/**
 * Adds the Sentinels that this command was given and how it reached them, so that each command can be typed as
 * printed. A password is left out: it would be in the history of the shell.
 */
export function typedHere(planned: PlannedWork, options: PlanOptions): PlannedWork {
  const words = accessWords(options)
  const typed = (text: string) =>
    text.replace(/vedette (?:status|failover|forget|explain) [^\s:`]+/g, `$&${words}`)
  const steps = planned.steps.map((step) => {
    return { ...step, command: typed(step.command), until: typed(step.until) }
  })
  return { ...planned, steps, back: typed(planned.back) }
}

function accessWords({ sentinel = [], user, tls, cacert, cert, key }: PlanOptions): string {
  const named = Object.entries({ user, cacert, cert, key })
  const given = named.flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${value}`],
  )
  const plain = tls === true ? ['--tls'] : []
  return [...sentinel.map((one) => `--sentinel ${one}`), ...plain, ...given]
    .map((one) => ` ${one}`)
    .join('')
}

function targetWords(to: string | undefined): readonly string[] {
  if (to === undefined) return []
  const { host, port } = splitAddress(to)
  return ['TO', host, String(port)]
}

function planFor(
  layout: GroupLayout,
  sentinels: readonly SentinelAnswer[],
  work: WorkOrder,
): PlannedWork | undefined {
  if (work.kind === 'switchover') return planSwitchover(layout)
  if (work.kind === 'upgrade') return planUpgrade(layout)
  const { address } = work
  const one = layout.sentinels.find((sentinel) => sentinel.address === address)
  return one && planRemoval(layout, one, otherGroups(layout, sentinels, one.id))
}

function otherGroups(
  layout: GroupLayout,
  sentinels: readonly SentinelAnswer[],
  id: string,
): readonly string[] {
  const views = sentinels.flatMap(({ groups }) => groups)
  const counting = views.filter(({ peers }) => peers.some(({ runid }) => runid === id))
  return [...new Set(counting.map(({ name }) => name))].filter((name) => name !== layout.group)
}

export function planLines(
  group: string,
  { what, obstacles, steps, back }: PlannedWork,
  columns = Number.POSITIVE_INFINITY,
): readonly string[] {
  const fold = (indent: string, mark: string, text: string) =>
    wrapped(text.split(' '), ' ', columns - indent.length - mark.length, 0).map(
      (line, at) => `${indent}${at === 0 ? mark : ' '.repeat(mark.length)}${line}`,
    )
  return [
    ...fold('', '', `${pc.bold(group)}: ${what}`),
    ...obstacles.flatMap((text) => fold('  ', '✘ ', `not now: ${text}`)),
    ...steps.flatMap(({ text, command, until, risks }, at) => [
      ...fold('', `${at + 1}. `, text),
      ...(command === '' ? [] : [`     ${pc.bold(command)}`]),
      ...fold('     ', '', `wait until ${until}`),
      ...risks.flatMap((risk) => fold('     ', '! ', risk)),
    ]),
    ...(steps.length === 0 ? [] : fold('', '', `To undo it: ${back}`)),
  ]
}
