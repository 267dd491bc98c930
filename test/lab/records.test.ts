/**
 * The black boxes of real Sentinels beside what the process engine saw: played again they decide the same, and the
 * incidents that they tell are those that happened, done by the Sentinels that did it. VEDETTE_LONG takes
 * every shipped scenario that real processes can play.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'vitest'
import { createProcessEngine, processEngineRefusal } from '../../src/engine/process/engine.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import type { ScenarioResult } from '../../src/scenario/result.ts'
import { runScenario } from '../../src/scenario/run.ts'
import type { ScenarioFile } from '../../src/scenario/scenario-file.ts'
import { vedette } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { sized } from '../support/sized.ts'

const ALL = readdirSync('scenarios').filter((name) => name.endsWith('.yml'))
const FILES = sized(['01-master-killed.yml'], ALL).map((name) => join('scenarios', name))
/** The tests of a busy machine are no judgement on speed. */
const GRACE_MS = 1_000
/** A second until the record is written, and a moment for the disk. */
const LOST_MS = 1_500
const LIMIT_MS = 60_000 + 60_000 * FILES.length
/** What follows from what, in this order, in every failover. */
const STEPS = ['+try-failover', '+elected-leader', '+selected-slave', '+promoted-slave'] as const

interface Incident {
  readonly title: string
  readonly events: readonly { readonly sentinel: string; readonly event: string }[]
}

const refusal = processEngineRefusal('vedette')
const title =
  refusal === undefined ? 'records of real processes' : `records of real processes (${refusal})`

describe.skipIf(refusal !== undefined)(title, { concurrent: true, timeout: LIMIT_MS }, () => {
  const scratch = scratchFolder('records')

  test.for(FILES)(
    '%s: decisions are the same when played again, and incidents are told as they were',
    async (path, { expect }) => {
      const folder = join(scratch, basename(path))
      const file = read(path)
      const engine = createProcessEngine({ against: 'vedette', recordsOf: () => folder })
      const result = await runScenario(file, { seed: '1', engine, graceMs: GRACE_MS })
      if (result.verdict === 'skipped') return
      const records = readdirSync(folder).map((name) => join(folder, name))
      const played = await vedette('replay', ...records)
      expect(played).toMatchObject({ status: 0, stderr: '' })
      const incidents = await incidentsOf(records)
      const names = namesIn(file)
      const told = incidents.flatMap(({ events }) =>
        events.map(({ sentinel, event }) => named(`${sentinel} ${event}`, names)),
      )
      expect(switchesIn(told)).toEqual(switchesIn(seen(result)))
      // The engine hears of a failover from subscriptions, which may come a moment late; records miss nothing but the
      // last second of a Sentinel that is killed.
      const leaders = of(told, '+elected-leader')
      expect(leaders).toEqual(expect.arrayContaining(of(kept(result), '+elected-leader')))
      for (const incident of incidents)
        expect(placesOf(incident), incident.title).toEqual(sorted(placesOf(incident)))
    },
  )

  test('records that cannot be kept are told, and cost no verdict', async ({ expect }) => {
    const folder = join(scratch, 'file', 'records')
    writeFileSync(join(scratch, 'file'), '')
    const lost: string[] = []
    const recordsLost = (where: string, error: unknown) => lost.push(`${where}: ${error}`)
    const engine = createProcessEngine({ against: 'vedette', recordsOf: () => folder, recordsLost })
    const file = read('scenarios/10-isolated-replica.yml')
    const result = await runScenario(file, { seed: '1', engine, graceMs: GRACE_MS })
    expect(result.verdict).toBe('passed')
    expect(lost).toEqual([expect.stringMatching(/^.*file\/records: Error: (ENOTDIR|EEXIST)/)])
  })
})

function read(path: string): ScenarioFile {
  const parsed = parseScenario(readFileSync(path, 'utf8'), path)
  if (!parsed.ok) throw new Error(`${path} cannot be read`)
  return parsed.value
}

/** Of a run without a failover there may be none, which is told with status 1. */
async function incidentsOf(records: readonly string[]): Promise<readonly Incident[]> {
  const { status, stdout } = await vedette(
    'incident',
    '--json',
    '--since',
    '2001-01-01T00:00:00Z',
    ...records,
  )
  return status === 0 ? JSON.parse(stdout).incidents : []
}

function seen({ timeline }: ScenarioResult): string[] {
  return timeline.flatMap(({ process, kind, text }) =>
    kind === 'event' ? [`${process} ${text}`] : [],
  )
}

/** Without what was said in the last second before a kill, which a record may lack. */
function kept(result: ScenarioResult): string[] {
  const deaths = result.timeline.filter(({ kind, text }) => kind === 'status' && text === 'down')
  const timeline = result.timeline.filter(
    ({ process, atMs }) =>
      !deaths.some((one) => {
        return one.process === process && one.atMs >= atMs && one.atMs < atMs + LOST_MS
      }),
  )
  return seen({ ...result, timeline })
}

/** Which master was replaced by which, whoever announced it. */
function switchesIn(events: readonly string[]): readonly string[] {
  const all = of(events, '+switch-master').map((text) => text.split(' ').slice(2).join(' '))
  return [...new Set(all)].sort()
}

function of(events: readonly string[], name: string): string[] {
  return events.filter((text) => text.split(' ')[1] === name).sort()
}

/** Where the steps of a failover stand among its events, whichever clock says what. */
function placesOf({ events }: Incident): readonly number[] {
  const places = STEPS.map((step) => events.findIndex(({ event }) => event.startsWith(`${step} `)))
  return places.filter((place) => place >= 0)
}

function sorted(places: readonly number[]): readonly number[] {
  return [...places].sort((a, b) => a - b)
}

/** The names of the scenario by the addresses that the engine gives: hosts are numbered as they are named. */
function namesIn({ topology }: ScenarioFile): ReadonlyMap<string, string> {
  const { nodes, sentinels, clients } = topology
  const hosts = [...new Set([...nodes, ...sentinels, ...clients].map(({ host }) => host))]
  const placed = [...nodes, ...sentinels]
  return new Map(placed.map(({ name, host, port }) => [`${hosts.indexOf(host) + 1}:${port}`, name]))
}

/** With the names of the scenario in the place of addresses, as the engine's timeline has them. */
function named(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(
    /\b10\.\d+\.\d+\.(\d+)[ :](\d+)/g,
    (all, host, port) => names.get(`${host}:${port}`) ?? all,
  )
}
