/** An incident as a scenario file: the cluster as it was then, what was done to it, and settings to try. */
import { hostAndPort, parseHostAndPort } from '../../../base/ip.ts'
import { formatProblem, type Problem } from '../../../config/problem.ts'
import { wordsAbout } from '../../../core/failover/host-rules.ts'
import { votersIn } from '../../../core/failover/voters.ts'
import { GROUP_OPTION_ROWS } from '../../../core/group-options.ts'
import type { Group } from '../../../core/state.ts'
import type { YamlWords } from '../../../fuzz/assemble.ts'
import { renderScenario } from '../../../fuzz/file.ts'
import { durationWord } from '../../../fuzz/words.ts'
import {
  moreOptionsSet,
  moreOptionWords,
  optionWords,
  specOptionsOf,
} from '../../../history/topology.ts'
import { label, name as scenarioName } from '../../../scenario/language/schema-words.ts'
import { parseScenario } from '../../../scenario/parse.ts'
import type { ScenarioFile } from '../../../scenario/scenario-file.ts'
import type { Trouble } from './trouble.ts'

/** An order that an operator gave, and to which Sentinel. */
export interface PlannedOrder {
  readonly atMs: number
  readonly sentinel: string
  readonly isCoordinated: boolean
}

export interface Reconstruction {
  /** What the incident is called. */
  readonly title: string
  readonly group: Group
  /** The master when it began, as `host:port`. */
  readonly master: string
  /** All Sentinels of the group, as `host:port`. */
  readonly sentinels: readonly string[]
  readonly troubles: readonly Trouble[]
  readonly orders: readonly PlannedOrder[]
  /** When the first of all that happened; the others are told from there. */
  readonly beganMs: number
  /** How long it went on from there. */
  readonly lastedMs: number
  /** What a message takes one way. */
  readonly latencyMs: number
}

/** `down-after` and `3s`: an option of the group, or a directive of the nodes. */
export type ChangedSetting = readonly [name: string, value: string]

/** By then all processes know each other. */
export const START_MS = 20_000
const APPLICATION_HOST = 'application'
/** Writes of an application, to see what it feels. */
const WRITES_PER_SECOND = 100
/** So long a run is watched when all is over, beside down-after. */
const TAIL_MS = 15_000

/** The file, as text. */
export function scenarioText(one: Reconstruction, changes: readonly ChangedSetting[]): string {
  const names = namesOf(one)
  const own = changes.filter(([name]) => isGroupOption(name))
  const directives = changes.filter(([name]) => !isGroupOption(name))
  const settings = Object.fromEntries(directives.map(([name, value]) => [name, plain(value)]))
  return renderScenario({
    name: one.title,
    story: storyOf(one, names),
    topology: {
      latency: durationWord(one.latencyMs),
      ...zoneWords(one, names),
      ...(directives.length === 0 ? {} : { settings }),
      groups: { [groupName(one)]: { ...groupWords(one, names), ...optionsOf(own) } },
      nodes: nodeWords(one, names),
      sentinels: Object.fromEntries(
        one.sentinels.map((address) => [names.get(address), { host: hostOf(address, names) }]),
      ),
    },
    workload: { clients: { app: { host: APPLICATION_HOST, rate: WRITES_PER_SECOND } } },
    duration: durationWord(durationOf(one)),
    timeline: stepsOf(one, names),
    expect: [{ failovers: { 'at-most': 1_000 } }],
  } as Parameters<typeof renderScenario>[0])
}

/** A scenario takes fewer names than a Sentinel. */
function groupName({ group }: Reconstruction): string {
  const own = group.config.name
  return scenarioName.safeParse(own).success ? own : 'group1'
}

/** The file, ready to run, or what is wrong with it in words: a setting that was asked for. */
export function scenarioOf(
  one: Reconstruction,
  changes: readonly ChangedSetting[],
): ScenarioFile | string {
  const parsed = parseScenario(scenarioText(one, changes), 'what-if')
  if (parsed.ok) return parsed.value
  return parsed.problems.map((problem) => inWordsAsked(problem, changes)).join('; ')
}

/** Nobody has seen the file: the place of a problem is the option that was asked for. */
function inWordsAsked(problem: Problem, changes: readonly ChangedSetting[]): string {
  const { path, message, hint } = problem
  const change = changes.find(([name]) => path.endsWith(`.${name}`))
  if (change === undefined) return formatProblem(problem)
  return `--set ${change.join('=')}: ${message}${hint === '' ? '' : ` (${hint})`}`
}

function durationOf(one: Reconstruction): number {
  return Math.round(START_MS + one.lastedMs + one.group.config.downAfterMs + TAIL_MS)
}

/** By `host:port`: `n1` is the master, and `s1` the first Sentinel. */
function namesOf({ group, master, sentinels }: Reconstruction): ReadonlyMap<string, string> {
  const known = [group.master, ...group.replicas.values()].map(({ host, port }) =>
    hostAndPort(host, port),
  )
  const nodes = [master, ...known.filter((address) => address !== master).sort()]
  return new Map([
    ...nodes.map((address, at) => [address, `n${at + 1}`] as const),
    ...sentinels.map((address, at) => [address, `s${at + 1}`] as const),
  ])
}

/** Processes at one address share a host, but for a loopback address: there each stands for a machine. */
function hostOf(address: string, names: ReadonlyMap<string, string>): string {
  const host = address.slice(0, address.lastIndexOf(':'))
  if (/^(?:127\.|\[?::1|localhost)/.test(host)) return `host-${names.get(address)}`
  const hosts = [...new Set([...names.keys()].map((one) => one.slice(0, one.lastIndexOf(':'))))]
  return `host-${hosts.indexOf(host) + 1}`
}

function storyOf({ title }: Reconstruction, names: ReadonlyMap<string, string>): string {
  const who = [...names].map(([address, name]) => `${name} is ${address}`).join(', ')
  return `Reconstructed from the records of the Sentinels: ${title}. ${who}.`
}

function groupWords({ group, master }: Reconstruction, names: ReadonlyMap<string, string>) {
  return {
    master: names.get(master),
    ...optionWords(specOptionsOf(group.config), durationWord),
    ...moreOptionWords(moreOptionsSet(group.config), durationWord),
  }
}

function isGroupOption(name: string): boolean {
  return name === 'quorum' || GROUP_OPTION_ROWS.some(([, row]) => row.yml === name)
}

function optionsOf(changes: readonly ChangedSetting[]): YamlWords {
  return Object.fromEntries(changes.map(([name, value]) => [name, plain(value)]))
}

/** Numbers are numbers in YAML. */
function plain(value: string): string | number {
  return /^\d{1,15}$/.test(value) ? Number(value) : value
}

function nodeWords(one: Reconstruction, names: ReadonlyMap<string, string>): YamlWords {
  const replicas = new Map(
    [...one.group.replicas.values()].map((replica) => [
      hostAndPort(replica.host, replica.port),
      replica.priority,
    ]),
  )
  const nodes = [...names].filter(([, name]) => name.startsWith('n'))
  return Object.fromEntries(
    nodes.map(([address, name]) => {
      const settings = nodeSettings(one, address, replicas.get(address) ?? 100)
      const { promotion } = rulesAbout(one, address)
      return [
        name,
        {
          host: hostOf(address, names),
          ...(address === one.master ? {} : { 'replica-of': names.get(one.master) }),
          ...(promotion === undefined ? {} : { promotion }),
          ...(Object.keys(settings).length === 0 ? {} : { settings }),
        },
      ]
    }),
  )
}

function zoneWords(one: Reconstruction, names: ReadonlyMap<string, string>): YamlWords {
  const zones = hostsOfZones(one, names)
  const titles = [...zones.keys()]
  // A Sentinel takes more names of zones than a scenario, which has hosts of its own besides.
  const areSayable = titles.every((zone) => label.safeParse(zone).success && !isOwnHost(zone))
  const words = [...zones.values()].map((hosts, at) => {
    return [areSayable ? titles[at] : `zone${at + 1}`, [...hosts]] as const
  })
  return words.length === 0 ? {} : { zones: Object.fromEntries(words) }
}

/** Of the zones in which nodes are. */
function hostsOfZones(one: Reconstruction, names: ReadonlyMap<string, string>) {
  const zones = new Map<string, Set<string>>()
  for (const [address, name] of names) {
    const zone = name.startsWith('n') ? rulesAbout(one, address).zone : undefined
    if (zone === undefined) continue
    zones.set(zone, (zones.get(zone) ?? new Set()).add(hostOf(address, names)))
  }
  return zones
}

function isOwnHost(name: string): boolean {
  return name === APPLICATION_HOST || name.startsWith('host-')
}

function rulesAbout({ group }: Reconstruction, address: string) {
  const { host, port } = parseHostAndPort(address) ?? { host: address, port: 0 }
  return wordsAbout(group.config, { host, port })
}

/** In a strict group all nodes vote that a scenario does not except. */
function nodeSettings({ group }: Reconstruction, address: string, priority: number): YamlWords {
  const voters = votersIn(group.config).map(({ host, port }) => hostAndPort(host, port))
  const isVoter = voters.length === 0 || voters.includes(address)
  return {
    ...(priority === 100 ? {} : { 'replica-priority': priority }),
    ...(isVoter ? {} : { 'sync-replication': 'no' }),
  }
}

interface StepAt {
  readonly atMs: number
  readonly words: YamlWords
}

function stepsOf(one: Reconstruction, names: ReadonlyMap<string, string>): readonly YamlWords[] {
  const steps = [
    ...one.troubles.flatMap((trouble) => troubleSteps(one, trouble, names)),
    ...one.orders.map(({ atMs, sentinel, isCoordinated }) => ({
      atMs,
      words: {
        failover: { at: names.get(sentinel), ...(isCoordinated ? { coordinated: true } : {}) },
      },
    })),
  ]
  return steps
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ atMs, words }) => {
      return { at: durationWord(Math.round(START_MS + atMs - one.beganMs)), ...words }
    })
}

function troubleSteps(
  one: Reconstruction,
  { address, atMs, untilMs, kind, from }: Trouble,
  names: ReadonlyMap<string, string>,
): readonly StepAt[] {
  const name = names.get(address)
  if (name === undefined) return []
  const step = (at: number, words: YamlWords): StepAt => ({ atMs: at, words })
  // Later than the story goes on nothing has to come back.
  const end = untilMs === undefined || untilMs > one.beganMs + one.lastedMs ? [] : [untilMs]
  if (kind === 'killed')
    return [step(atMs, { kill: name }), ...end.map((at) => step(at, { restart: name }))]
  if (kind === 'stopped')
    return [step(atMs, { pause: name }), ...end.map((at) => step(at, { resume: name }))]
  const host = hostOf(address, names)
  const sides = from.filter((by) => names.has(by)).map((by) => hostOf(by, names))
  const ways = [...new Set(sides)].filter((side) => side !== host)
  return [
    ...ways.flatMap((side) => [
      step(atMs, { cut: { from: host, to: side } }),
      step(atMs, { cut: { from: side, to: host } }),
    ]),
    ...end.map((at) => step(at, { heal: true })),
  ]
}
