/** A staged history as a scenario: the file that replays it, and the parsed form for the runner. */
import { assert } from '../base/assert.ts'
import { formatProblem } from '../config/problem.ts'
import type { ScenarioWords, YamlWords } from '../fuzz/assemble.ts'
import { renderScenario } from '../fuzz/file.ts'
import { durationWord } from '../fuzz/words.ts'
import { moreOptionWords, optionWords } from '../history/topology.ts'
import { parseScenario } from '../scenario/parse.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import { boxesOf, type ClusterGroup, masterOf, type SimulatedCluster, zoneOf } from './cluster.ts'
import { INCIDENTS } from './incident.ts'
import { type NetworkProfile, networkWords } from './profiles.ts'
import type { Stage, Staged } from './stage.ts'

/** The text of a scenario file. It expects nothing in particular: it is meant to be looked at. */
export function scenarioText(staged: Staged, stage: Stage): string {
  return renderScenario(scenarioWords(staged, stage))
}

/** The same, ready to run. If it cannot be parsed, that is a mistake of ours. */
export function scenarioOf(staged: Staged, stage: Stage): ScenarioFile {
  const parsed = parseScenario(scenarioText(staged, stage), stage.cluster.file)
  assert(parsed.ok, parsed.ok ? '' : parsed.problems.map(formatProblem).join('; '))
  return parsed.value
}

function scenarioWords(staged: Staged, { cluster, profile }: Stage): ScenarioWords {
  const { incident, story, steps, durationMs } = staged
  return {
    name: `${INCIDENTS[incident.kind].title}, seed ${incident.seed}`,
    story,
    topology: topologyWords(cluster, profile),
    workload: {
      clients: Object.fromEntries(
        cluster.clients.map(({ name, host, group }) => [
          name,
          { host, group, rate: cluster.writesPerSecond },
        ]),
      ),
    },
    duration: durationWord(durationMs),
    timeline: steps.map(({ atMs, words }) => ({ at: durationWord(atMs), ...words })),
    expect: cluster.groups.map(({ name }) => ({ group: name, failovers: { 'at-most': 1_000 } })),
  }
}

function topologyWords(cluster: SimulatedCluster, profile: NetworkProfile): YamlWords {
  return {
    ...networkWords(profile, boxesOf(cluster), (box) => zoneOf(cluster, box)),
    groups: Object.fromEntries(cluster.groups.map((group) => [group.name, groupWords(group)])),
    nodes: Object.fromEntries(cluster.groups.flatMap(nodeWords)),
    sentinels: Object.fromEntries(cluster.sentinels.map(({ name, host }) => [name, { host }])),
  }
}

function groupWords(group: ClusterGroup): YamlWords {
  return {
    master: masterOf(group).name,
    ...optionWords(group, durationWord),
    ...moreOptionWords(group, durationWord),
  }
}

function nodeWords(group: ClusterGroup): [string, YamlWords][] {
  const master = masterOf(group).name
  return group.nodes.map(({ name, host, settings, promotion }) => [
    name,
    {
      host,
      ...(name === master ? {} : { 'replica-of': master }),
      ...(promotion === undefined ? {} : { promotion }),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
    },
  ])
}
