/**
 * `vedette/simulate`: puts a Sentinel configuration through random accidents on virtual time, with the production code
 * of Sentinel and data node, and says what each cost: outages, lost writes, needless failovers, and which setting is
 * to blame. docs/simulate.md describes the accidents; `vedette simulate` is the same on all processors.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { simulate } from 'vedette/simulate'
 *
 * const found = await simulate(readFileSync('sentinel.yml', 'utf8'), { seeds: 20 })
 * if (!found.ok) throw new Error(found.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'))
 * if (found.missingFailovers > 0) throw new Error(found.report)
 * ```
 *
 * @packageDocumentation
 */

import type { Problem } from '../config/problem.ts'
import { parseSentinelConf } from '../config/sentinel-conf.ts'
import type { SentinelFile } from '../config/sentinel-file.ts'
import { parseSentinelYml } from '../config/sentinel-yml.ts'
import { didYouMean } from '../config/suggest.ts'
import { type DirectiveMatter, decidedMatter } from '../scenario/language/decided-directives.ts'
import { PLAIN } from '../scenario/report.ts'
import { Settings } from '../server/settings/settings.ts'
import { adviceFor } from '../simulate/advice.ts'
import { buildCluster } from '../simulate/build-cluster.ts'
import { lostTotal, type MeasuredHistory } from '../simulate/measure.ts'
import { measureSeed } from '../simulate/play-seed.ts'
import { PROFILES } from '../simulate/profiles.ts'
import type { Stage } from '../simulate/stage.ts'
import { onlyGroup, outageOf, summarize } from '../simulate/summary.ts'
import { summaryLines } from '../simulate/text-summary.ts'
import {
  checkContents,
  checkCount,
  checkNames,
  checkText,
  checkTextsByName,
  checkWord,
  givenOf,
} from '../testing/arguments.ts'
import { turn } from '../testing/cluster-clock.ts'

export type { Problem } from '../config/problem.ts'

export interface SimulateConfigOptions {
  /** The name that problems show; one that ends with `.conf` says that the text is a sentinel.conf. */
  readonly file?: string
  /** How many random histories; 20 by default. A history takes a tenth of a second or so. */
  readonly seeds?: number
  /** The network: one room (`lan`, by default), three zones, or three regions. */
  readonly profile?: 'lan' | 'cross-zone' | 'wan'
  /** By default as the configuration says, or 3. */
  readonly sentinels?: number
  /** Replicas of each group; 2 by default. */
  readonly replicas?: number
  /** Directives of redis.conf, for all nodes. */
  readonly directives?: Readonly<Record<string, string>>
  /** Writes per second of each client; 20 by default. */
  readonly writesPerSecond?: number
}

/** One random accident, and what it did. Times are virtual milliseconds. */
export interface SimulatedHistory {
  readonly seed: string
  /** In plain sentences. */
  readonly story: string
  /** The longest time in which a client that was not cut off itself could not write. */
  readonly outageMs: number
  readonly lostWrites: number
  readonly failovers: number
  /** Failovers of a master that was usable, or would have been within a second. */
  readonly needlessFailovers: number
  /** A failover should have come and did not, although a majority and a replica were there. */
  readonly isFailoverMissing: boolean
}

/** A setting that caused something, and what to try in its place. */
export interface SettingAdvice {
  /** With its value: `quorum 3 of 3`. */
  readonly setting: string
  readonly effect: string
  readonly seen: string
  readonly tryThis: string
}

/** What came of the configuration, or why it cannot be used. */
export type Simulation =
  | {
      readonly ok: true
      readonly histories: readonly SimulatedHistory[]
      /** The longest of all histories. */
      readonly longestOutageMs: number
      readonly lostWrites: number
      readonly needlessFailovers: number
      readonly missingFailovers: number
      readonly advice: readonly SettingAdvice[]
      /** The same in words, as `vedette simulate` prints it, without colours. */
      readonly report: string
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/**
 * Plays the histories one after the other; the same text and options give the same result.
 *
 * @param config - The text of a sentinel.yml, or of a sentinel.conf if `file` ends with `.conf`.
 * @throws TypeError for an option that is wrong, with what is right.
 */
export async function simulate(
  config: string,
  options: SimulateConfigOptions = {},
): Promise<Simulation> {
  checkContents('simulate: the text of a configuration', config)
  const full = fullOptions(options)
  const { file, seeds } = full
  const parsed = file.endsWith('.conf')
    ? parseSentinelConf(config, file, [])
    : parseSentinelYml(config, file)
  if (!parsed.ok) return { ok: false, problems: parsed.problems }
  if (parsed.value.core.groups.length === 0) return { ok: false, problems: [nothingToPlay(file)] }
  const stage = stageOf(parsed.value, full)
  const measured: MeasuredHistory[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    measured.push(await measureSeed(`${seed}`, stage))
    // A history is played without a pause: a runner whose time is up, or Ctrl-C, must not wait for all of them.
    await turn()
  }
  return resultOf(stage, measured)
}

/** The counts of Sentinels and replicas may be left to the configuration. */
type Counts = Pick<SimulateConfigOptions, 'sentinels' | 'replicas'>
type FullOptions = Counts & Required<Omit<SimulateConfigOptions, keyof Counts>>

const USUAL: FullOptions = {
  ...{ file: 'sentinel.yml', seeds: 20, profile: 'lan', directives: {}, writesPerSecond: 20 },
}
const OPTIONS = [...Object.keys(USUAL), 'sentinels', 'replicas']

/** The bounds are those of the command line. */
function fullOptions(options: SimulateConfigOptions): FullOptions {
  checkNames('simulate', options, OPTIONS)
  const full: FullOptions = { ...USUAL, ...givenOf(options) }
  checkText('file', full.file)
  checkCount('seeds', full.seeds, 1, 1_000_000)
  checkWord('profile', full.profile, Object.keys(PROFILES))
  if (full.sentinels !== undefined) checkCount('sentinels', full.sentinels, 1, 256)
  if (full.replicas !== undefined) checkCount('replicas', full.replicas, 0, 100)
  checkCount('writesPerSecond', full.writesPerSecond, 1, 1_000)
  checkDirectives(full.directives)
  return full
}

function nothingToPlay(file: string): Problem {
  return {
    ...{ severity: 'error', code: 'E_MISSING', file, path: 'groups' },
    message: 'no group is monitored, so there is nothing to simulate',
    hint: 'add a group: groups: { mymaster: { master: 10.0.0.1:6379, quorum: 2 } }',
  }
}

function stageOf(file: SentinelFile, options: FullOptions): Stage {
  const { profile, directives, sentinels, replicas, writesPerSecond } = options
  const cluster = buildCluster({
    ...{ file, learnt: file.learnt?.groups ?? [], settings: [directives] },
    options: { sentinels, replicas, layout: undefined, writesPerSecond },
  })
  const downAfterMaxMs = Math.max(...cluster.groups.map(({ downAfterMs }) => downAfterMs))
  return { cluster, profile: PROFILES[profile], downAfterMaxMs }
}

function checkDirectives(directives: Readonly<Record<string, string>>): void {
  checkTextsByName('directives', directives)
  const settings = new Settings()
  for (const [name, value] of Object.entries(directives)) {
    const problem = directiveFault(settings, name, value)
    if (problem !== undefined) throw new TypeError(`directives: ${name} ${value}: ${problem}`)
  }
}

const WHERE = 'the configuration says where the master is, and its replicas follow it'
const DECIDED: Readonly<Record<DirectiveMatter, string>> = {
  place: WHERE,
  master: WHERE,
  password: 'simulated nodes and Sentinels ask each other for no password',
  users: 'simulated nodes have the default user alone',
  process: 'the simulation runs the nodes, and has disks for them',
  file: 'simulated nodes have no file, and all commands under their own names',
}

function directiveFault(settings: Settings, name: string, value: string): string | undefined {
  const matter = decidedMatter(name)
  if (matter !== undefined) return `${DECIDED[matter]}; leave this out`
  if (settings.knows(name)) return settings.load(name, [value])
  const known = settings.match('*').map(([each]) => each)
  return `there is no such directive; ${didYouMean(name, known) || 'leave it out'}`
}

function resultOf({ cluster }: Stage, measured: readonly MeasuredHistory[]): Simulation {
  const histories = measured.map(historyOf)
  const groups = cluster.groups.map(({ title }, index) => {
    return { title, summary: summarize(onlyGroup(measured, index)) }
  })
  return {
    ok: true,
    histories,
    longestOutageMs: Math.max(...histories.map(({ outageMs }) => outageMs)),
    lostWrites: total(histories, ({ lostWrites }) => lostWrites),
    needlessFailovers: total(histories, ({ needlessFailovers }) => needlessFailovers),
    missingFailovers: histories.filter(({ isFailoverMissing }) => isFailoverMissing).length,
    advice: adviceFor(cluster, measured).map(({ setting, effect, seen, tryThis }) => {
      return { setting, effect, seen, tryThis }
    }),
    report: summaryLines(summarize(measured), groups, PLAIN).join('\n'),
  }
}

function historyOf(measured: MeasuredHistory): SimulatedHistory {
  const { seed, story, groups } = measured
  return {
    ...{ seed, story, outageMs: outageOf(measured) },
    lostWrites: total(groups, ({ lost }) => (lost === undefined ? 0 : lostTotal(lost))),
    failovers: total(groups, ({ failovers }) => failovers),
    needlessFailovers: total(groups, ({ needless }) => needless),
    isFailoverMissing: groups.some(({ outcome }) => outcome === 'missing'),
  }
}

function total<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0)
}
