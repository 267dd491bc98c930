/** A staged history as a scenario: the file that replays it, and what the runner takes. */
import { assert } from '../base/assert.ts'
import { formatProblem } from '../config/problem.ts'
import type { ScenarioWords, Words } from '../fuzz/assemble.ts'
import { renderScenario } from '../fuzz/file.ts'
import { durationWord } from '../fuzz/words.ts'
import { parseScenario } from '../scenario/parse.ts'
import type { ScenarioFile } from '../scenario/scenario-file.ts'
import { boxesOf, type Cluster, type ClusterGroup, masterOf } from './cluster.ts'
import { INCIDENTS } from './incident.ts'
import { networkWords, type Profile } from './profiles.ts'
import type { Stage, Staged } from './stage.ts'

/** The text of a scenario file. It expects nothing in particular: it is there to be looked at. */
export function scenarioText(staged: Staged, stage: Stage): string {
  return renderScenario(scenarioWords(staged, stage))
}

/** The same, ready to run. One that cannot be read is a mistake of ours. */
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

function topologyWords(cluster: Cluster, profile: Profile): Words {
  return {
    ...networkWords(profile, boxesOf(cluster)),
    groups: Object.fromEntries(cluster.groups.map((group) => [group.name, groupWords(group)])),
    nodes: Object.fromEntries(cluster.groups.flatMap(nodeWords)),
    sentinels: Object.fromEntries(cluster.sentinels.map(({ name, host }) => [name, { host }])),
  }
}

function groupWords(group: ClusterGroup): Words {
  return {
    master: masterOf(group).name,
    quorum: group.quorum,
    'down-after': durationWord(group.downAfterMs),
    'failover-timeout': durationWord(group.failoverTimeoutMs),
    'parallel-syncs': group.parallelSyncs,
    detection: group.detection,
    'refused-after': durationWord(group.refusedAfterMs),
  }
}

function nodeWords(group: ClusterGroup): [string, Words][] {
  const master = masterOf(group).name
  return group.nodes.map(({ name, host, settings }) => [
    name,
    {
      host,
      ...(name === master ? {} : { 'replica-of': master }),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
    },
  ])
}
