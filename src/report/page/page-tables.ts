/** The page's tables: everything that happened, and the processes. */

import type { Happening } from '../../history/happening.ts'
import { describe } from '../../history/trace.ts'
import { formatDuration } from '../../scenario/duration.ts'
import type { ScenarioFile } from '../../scenario/scenario-file.ts'
import type { RunHistory } from '../../scenario/world.ts'
import { readEvent } from '../event-facts.ts'
import { eventMoment } from '../event-moment.ts'
import { createNaming, type Naming } from '../names.ts'
import { html, type Markup } from './html.ts'

/** The page must open on a telephone. */
const MOST_ROWS = 2_000

export function renderEvents(history: RunHistory): Markup {
  const naming = createNaming(history)
  const rows = history.happenings.map((happening) => ({
    happening,
    isRoutine: isRoutine(happening, naming),
  }))
  const chosen = choose(rows)
  const processes = [...new Set(chosen.map(({ happening }) => happening.process ?? ''))].sort()
  const left = rows.length - chosen.length
  const note =
    left === 0
      ? undefined
      : html`<p class="aside">${left} more are left out here, routine first; the JSON report has the course of events in full.</p>`
  return html`<section aria-labelledby="all"><h2 id="all">Everything that happened</h2>
<div class="filters"><label>Filter <input type="search" id="filter-text" placeholder="for example +switch-master"></label>
<label>Process <select id="filter-process"><option value="">all</option>${processes
    .filter((name) => name !== '')
    .map((name) => html`<option>${name}</option>`)}</select></label>
<label><input type="checkbox" id="filter-routine"> with routine and log</label><span id="filter-amount" role="status"></span></div>
<div class="scroll tall" tabindex="0" role="region" aria-labelledby="all"><table id="events"><thead><tr><th scope="col">Seconds</th><th scope="col">Process</th><th scope="col">What</th></tr></thead><tbody>
${chosen.map(({ happening, isRoutine }) => renderRow(happening, isRoutine, history, naming))}</tbody></table></div>${note}</section>
`
}

interface Row {
  readonly happening: Happening
  readonly isRoutine: boolean
}

/** If there are too many rows, routine ones are left out first; of the rest, the beginning stays. */
function choose(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= MOST_ROWS) return rows
  let routineLeft = Math.max(0, MOST_ROWS - rows.filter((row) => !row.isRoutine).length)
  return rows.filter((row) => !row.isRoutine || routineLeft-- > 0).slice(0, MOST_ROWS)
}

function isRoutine(happening: Happening, naming: Naming): boolean {
  if (happening.kind === 'log' || happening.kind === 'hello') return true
  if (happening.kind === 'status') return happening.atMs < 1_000 && happening.status === 'running'
  if (happening.kind !== 'event') return false
  return !eventMoment(0, readEvent(happening.name, happening.payload, naming)).isKey
}

function renderRow(
  happening: Happening,
  isRoutine: boolean,
  history: RunHistory,
  naming: Naming,
): Markup {
  const { atMs, process, kind } = happening
  const text = naming.text(describe(happening, history.nameOf)).replace(/^! /, '')
  const routine = isRoutine ? html` data-routine=""` : undefined
  const fromMs = Math.max(0, atMs - 250)
  return html`<tr class="${kind}" data-process="${process}"${routine}><td class="time"><a href="#lanes" data-at="${atMs}" data-from="${fromMs}" data-until="${Math.min(history.endMs, atMs + 250)}" data-lane="${process}">${(atMs / 1_000).toFixed(3)}</a></td><td class="who">${process}</td><td class="what">${text}</td></tr>
`
}

export function renderTopology({ topology }: ScenarioFile): Markup {
  const { groups, nodes, sentinels, clients, zones } = topology
  const where = (host: string): string => {
    const zone = zones.get(host)
    return zone === undefined ? host : `${host} in ${zone}`
  }
  const rows = [
    ...nodes.map(({ name, host, port, replicaOf, directives, joinsLater }) =>
      row(name, `${where(host)}:${port}`, [
        replicaOf === undefined ? 'master at first' : `replica of ${replicaOf} at first`,
        ...[...directives].map(([key, value]) => `${key} ${value}`),
        ...(joinsLater ? ['joins later'] : []),
      ]),
    ),
    ...sentinels.map(({ name, host, port, joinsLater }) =>
      row(name, `${where(host)}:${port}`, ['Sentinel', ...(joinsLater ? ['joins later'] : [])]),
    ),
    ...clients.map(({ name, host, group, operation, pace }) => {
      const speed =
        pace.kind === 'rate'
          ? `${pace.perSecond} a second${pace.pipeline > 1 ? `, ${pace.pipeline} at once` : ''}`
          : `${pace.ms} ms between them`
      return row(name, where(host), [`client of ${group}`, operation, speed])
    }),
  ]
  return html`<section aria-labelledby="who"><h2 id="who">Who was there</h2>
<div class="scroll topology" tabindex="0" role="region" aria-labelledby="who"><table><thead><tr><th scope="col">Name</th><th scope="col">Host</th><th scope="col">What it is</th></tr></thead><tbody>${rows}</tbody></table></div>
${groups.map((group) => renderGroup(group))}<p class="aside">Between hosts: ${wordLatency(topology.latency)}${topology.ways.map(
    ({ hosts, latency }) => html`; ${hosts[0]} and ${hosts[1]}: ${wordLatency(latency)}`,
  )}.</p></section>
`
}

function renderGroup(group: ScenarioFile['topology']['groups'][number]): Markup {
  const { name, quorum, downAfterMs, failoverTimeoutMs, parallelSyncs } = group
  return html`<p class="aside"><strong>${name}</strong>: quorum ${quorum}, down-after ${formatDuration(downAfterMs)}, failover-timeout ${formatDuration(failoverTimeoutMs)}, parallel-syncs ${parallelSyncs}</p>
`
}

function row(name: string, where: string, parts: readonly string[]): Markup {
  return html`<tr><td>${name}</td><td>${where}</td><td>${parts.join(', ')}</td></tr>
`
}

function wordLatency({ baseMs, jitterMs }: ScenarioFile['topology']['latency']): string {
  const jitter = jitterMs === 0 ? '' : ` and up to ${formatDuration(jitterMs)} more`
  return `${formatDuration(baseMs)}${jitter}`
}
