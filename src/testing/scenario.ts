/**
 * Scenario files on a cluster that a test has started: the runner and the judge are those of `vedette scenario run`,
 * the world is the cluster. Its groups, nodes and Sentinels must be those of the file; what it cannot do is refused
 * before anything is done.
 */
import { readFileSync } from 'node:fs'
import type { ActionKind } from '../history/action.ts'
import {
  type ClientSpec,
  GROUP_OPTIONS,
  type GroupSpec,
  MORE_OPTION_ROWS,
  type Topology,
} from '../history/topology.ts'
import { reasonOf } from '../io/start-error.ts'
import { renderForLog } from '../report/terminal.ts'
import { parseScenario } from '../scenario/parse.ts'
import { playScenario } from '../scenario/run.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import type { PlayedScenarioFile } from './api.ts'
import { shown } from './arguments.ts'
import { type ScenarioStage, StagedWorld } from './scenario-world.ts'
import { DOING, wordOf } from './script.ts'

/** By so much deadlines are postponed where time passes by itself: the machine may be busy with other tests. */
const GRACE_MS = 5_000

export interface ScenarioCluster extends ScenarioStage {
  readonly seed: string
  readonly isManual: boolean
  /** What its Sentinels go by, whatever a file says. */
  readonly options: Pick<GroupSpec, 'quorum' | 'downAfterMs' | 'failoverTimeoutMs'>
  /** Makes this node the master of its group, if it is not. */
  lead(group: string, node: string): Promise<void>
}

/** Throws a TypeError for a file that is wrong or does not fit, and an Error with the report if it fails. */
export async function playScenarioFile(
  file: string | URL,
  cluster: ScenarioCluster,
): Promise<PlayedScenarioFile> {
  const parsed = parseScenario(textOf(file), `${file}`)
  if (!parsed.ok) {
    const texts = parsed.problems.map(({ line, path, message, hint }) => {
      return `${file}:${line}: ${path}: ${message}${hint === '' ? '' : ` (${hint})`}`
    })
    throw new TypeError(texts.join('; '))
  }
  const misfits = [...misfitsOf(parsed.value, cluster), ...refusalsOf(parsed.value)]
  if (misfits.length > 0) throw new TypeError(`${file}: ${misfits.join('; ')}`)
  return await play(withOptionsOf(parsed.value, cluster), cluster)
}

function textOf(file: string | URL): string {
  if (typeof file !== 'string' && typeof file?.href !== 'string') {
    throw new TypeError(`scenario: the path of a file, or its URL, not ${shown(file)}`)
  }
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`scenario: cannot read ${file}: ${reasonOf(error)}`)
  }
}

function withOptionsOf(file: ScenarioFile, { options }: ScenarioCluster): ScenarioFile {
  const groups = file.topology.groups.map((group) => ({ ...group, ...options }))
  return { ...file, topology: { ...file.topology, groups } }
}

async function play(file: ScenarioFile, cluster: ScenarioCluster): Promise<PlayedScenarioFile> {
  for (const { name, master } of file.topology.groups) await cluster.lead(name, master)
  const { result, history } = await playScenario(file, {
    engine: {
      // As of processes, too little is known of the machines to check what must never happen.
      name: 'process',
      programs: 'Vedette',
      refusal: () => undefined,
      create: async () => new StagedWorld(cluster, file.topology),
    },
    seed: cluster.seed,
    graceMs: cluster.isManual ? 0 : GRACE_MS,
  })
  // What the process was late by is left out of it, and with a manual clock only what the test lets pass counts.
  const report = renderForLog(file, result, history, { clock: 'cluster' })
  if (result.verdict !== 'passed') throw new Error(report)
  return { report, labels: history.labels }
}

/** In what the file's cluster is another one. */
function misfitsOf({ topology }: ScenarioFile, cluster: ScenarioCluster): string[] {
  const { groups, nodes, sentinels } = topology
  return [
    ...differences('groups', groups, cluster.groups),
    ...groups.flatMap(({ name }) => {
      const own = nodes.filter(({ group }) => group === name)
      const there = cluster.groups.find((group) => group.name === name)
      return there === undefined ? [] : differences(`nodes of ${name}`, own, there.nodes)
    }),
    ...differences('Sentinels', sentinels, cluster.sentinels),
  ]
}

/** Nothing is said of it that the recorder of the cluster would not do. */
function isPlain({ operation, pace, manner, wait, hasProxy, halfCloses }: ClientSpec): boolean {
  const isSteady = pace.kind === 'rate' && pace.pipeline === 1
  const hasMore = wait !== undefined || hasProxy === true || halfCloses === true
  return operation === 'keys' && isSteady && manner === 'prompt' && !hasMore
}

interface Named {
  readonly name: string
}

function differences(what: string, file: readonly Named[], cluster: readonly Named[]): string[] {
  const [wanted, there] = [file, cluster].map((list) =>
    list
      .map(({ name }) => name)
      .sort()
      .join(' '),
  )
  return wanted === there ? [] : [`its ${what} are ${wanted}, the cluster's are ${there}`]
}

/** What a script cannot do, and scenario-world.ts does. */
const OWN: ReadonlySet<ActionKind> = new Set(['powerLoss', 'command'])

/**
 * What the file has Sentinels do otherwise than those of a cluster, which a test cannot tell. Played all the same, a strict
 * group would be judged by what an asynchronous one does.
 */
function untold({ groups, nodes }: Topology): string[] {
  const options = groups.flatMap((group) => [
    ...MORE_OPTION_ROWS.flatMap(({ key, row }) =>
      group[key] === undefined ? [] : [`${group.name}: ${row.yml}`],
    ),
    ...(group.preFailoverHook === ''
      ? []
      : [`${group.name}: ${GROUP_OPTIONS.preFailoverHook.yml}`]),
  ])
  const rules = nodes.flatMap(({ name, promotion }) =>
    promotion === undefined ? [] : [`${name}: promotion`],
  )
  return [...options, ...rules].map(
    (what) => `${what} is nothing that a cluster knows; see runScenario`,
  )
}

/** What can be asked of a world, and not of a cluster in a test. */
function refusalsOf({ topology, steps }: ScenarioFile): string[] {
  const { clients, nodes, sentinels, liars, ways } = topology
  const [liar] = liars
  const late = [...nodes, ...sentinels].find(({ joinsLater }) => joinsLater)
  const told = nodes.find(({ directives }) => directives.size > 0)
  const strange = clients.find((client) => !isPlain(client))
  const hosts = new Set(clients.map(({ host }) => host))
  return [
    ...(liar === undefined ? [] : [`${liar.name}: liars live in the simulated world only`]),
    ...(late === undefined ? [] : [`${late.name}: every member runs from the beginning`]),
    ...(told === undefined
      ? []
      : [`${told.name}: directives are an option of startCluster, for all nodes`]),
    ...(strange === undefined
      ? []
      : [`${strange.name}: a client writes keys, at a rate, one at a time, and nothing beside`]),
    ...(hosts.size < 2 ? [] : [`${[...hosts].join(' ')}: all clients stand on one host`]),
    ...(ways.length === 0 ? [] : ['ways: see cluster.slow']),
    ...untold(topology),
    ...steps.flatMap(({ actions }, index) => {
      const action = actions.find(({ kind }) => !OWN.has(kind) && DOING[kind] === undefined)
      if (action === undefined) return []
      return [`step ${index + 1}: ${wordOf(action.kind)} cannot be done to a cluster in a test`]
    }),
  ]
}
