import { expect, test } from 'vitest'
import { heldNodes, verdictsOn, type Witness } from '../../src/cli/incident/held-nodes.ts'
import type { Period } from '../../src/cli/incident/periods.ts'
import { recordedRun } from '../../src/cli/incident/recorded-run.ts'
import { explainRecorded } from '../../src/report/chain/chain.ts'
import { createLanes } from '../../src/report/lanes/lanes.ts'
import { renderRecordedPage } from '../../src/report/page/html-page.ts'
import { played } from './recorded-lives.ts'

const NODE = '10.0.0.1:6379'

function witness(
  name: string,
  more: Partial<Record<'gone' | 'lost' | 'held' | 'gray', Period>> = {},
) {
  const only = (period: Period | undefined) =>
    new Map(period === undefined ? [] : [[NODE, [period]]])
  const own = { fromMs: 0, untilMs: 10_000 }
  const { gone, lost, held, gray } = more
  const lists = { gone: only(gone), lost: only(lost), held: only(held), gray: only(gray) }
  return { name, own, alone: [], ...lists }
}

function downIn(witnesses: readonly Witness[]): readonly string[] {
  const down = verdictsOn(NODE, witnesses).filter(({ isDown }) => isDown)
  return down.map(({ fromMs, untilMs }) => `${fromMs} to ${untilMs}`)
}

function remarksIn(witnesses: readonly Witness[]): readonly string[] {
  return heldNodes(witnesses, [NODE], []).flatMap((one) =>
    one.kind === 'remark' ? [`${one.atMs} ${one.text ?? 'over'}`] : [],
  )
}

test('a node is down while the majority gets no answer, and not for one Sentinel', () => {
  const from = (fromMs: number) => ({ gone: { fromMs, untilMs: 8_000 } })
  const early = witness('s1', from(1_000))
  expect(downIn([early, witness('s2'), witness('s3')])).toEqual([])
  expect(downIn([early, witness('s2', from(1_200)), witness('s3')])).toEqual(['1200 to 8000'])
  expect(remarksIn([early, witness('s2'), witness('s3')])).toEqual([
    '1000 down for s1 only',
    '8000 over',
  ])
})

test('a Sentinel that is cut off from the majority has no say, and what it holds is a remark', () => {
  const gone = { fromMs: 1_000, untilMs: 8_000 }
  const alone = [{ fromMs: 500, untilMs: 9_000 }]
  // Of the two that are left, one is no majority; of all three, two would be.
  const witnesses = [{ ...witness('s1', { gone }), alone }, witness('s2', { gone }), witness('s3')]
  expect(downIn(witnesses)).toEqual([])
  expect(remarksIn(witnesses)).toEqual([
    '1000 down for s1 (cut off from the majority) and s2 only',
    '8000 over',
  ])
})

test('where no Sentinel reaches a majority, all of them have a say', () => {
  const gone = { fromMs: 1_000, untilMs: 8_000 }
  const alone = [{ fromMs: 500, untilMs: 9_000 }]
  const all = [witness('s1', { gone }), witness('s2', { gone }), witness('s3')]
  expect(downIn(all.map((one) => ({ ...one, alone })))).toEqual(['1000 to 8000'])
})

test('a Sentinel without a record of that time has no say', () => {
  const gone = { fromMs: 1_000, untilMs: 8_000 }
  const late = { ...witness('s2'), own: { fromMs: 3_000, untilMs: 10_000 } }
  expect(downIn([witness('s1', { gone }), late])[0]).toBe('1000 to 3000')
  expect(downIn([witness('s1', { gone }), late])).toHaveLength(1)
})

test('Sentinels that notice within a second of each other do not disagree', () => {
  const some = [900, 1_400, 1_800].map((fromMs, at) =>
    witness(`s${at}`, { gone: { fromMs, untilMs: 8_000 } }),
  )
  expect(remarksIn(some)).toEqual([])
})

test('connections that ended count where a Sentinel was refused one, and not by themselves', () => {
  const gone = { fromMs: 1_000, untilMs: 1_700 }
  const lost = { fromMs: 1_010, untilMs: 1_690 }
  const some = [witness('s2', { lost }), witness('s3')]
  expect(downIn([witness('s1', { gone }), ...some])).toEqual(['1010 to 1690'])
  expect(downIn([witness('s1', { lost }), ...some])).toEqual([])
  // It came back, and was told to follow another one, which ends connections.
  const long = witness('s1', { gone: { fromMs: -8_000, untilMs: 1_700 } })
  expect(downIn([long, ...some])).toEqual([])
})

test('a master that answers and is held down is not down, and it is said why', () => {
  const held = { fromMs: 1_000, untilMs: 1_080, why: 'came back without its data' }
  const all = ['s1', 's2', 's3'].map((name) => witness(name, { held }))
  expect(downIn(all)).toEqual([])
  expect(remarksIn(all)).toEqual([
    '1000 answers, and is held down: came back without its data',
    '1080 over',
  ])
})

test('a master refuses writes while the majority says so, and keeps its role', () => {
  const gray = { fromMs: 1_000, untilMs: 4_000, why: 'answers writes with OOM, has used 9 of 1' }
  const all = [witness('s1', { gray }), witness('s2', { gray }), witness('s3')]
  const master = { atMs: 0, process: NODE, kind: 'role', role: { kind: 'master' } } as const
  const roles = heldNodes(all, [NODE], [master]).flatMap((one) =>
    one.kind === 'role' && one.role.kind === 'master' ? [`${one.atMs} ${one.role.refuses}`] : [],
  )
  expect(roles).toEqual(['0 undefined', '0 undefined', '1000 OOM', '4000 undefined'])
})

test('a killed master is drawn as down from its death, not from the word of a Sentinel', async () => {
  const { truth, run } = await played('01-master-killed.yml')
  const died = truth.happenings.find(
    (one) => one.kind === 'status' && one.process === 'n1' && one.status === 'down' && one.atMs > 0,
  )
  const suspected = truth.happenings.find((one) => one.kind === 'event' && one.name === '+sdown')
  const told = run.history.happenings.find((one) => one.kind === 'event' && one.name === '+sdown')
  const lanes = createLanes(run.file, run.history).lanes
  const lane = lanes.find(({ name }) => name === '10.0.0.1:6379')
  const down = lane?.spans.find(({ state }) => state.kind === 'down')
  const really = (suspected?.atMs ?? 0) - (died?.atMs ?? 0)
  expect(really).toBeGreaterThan(100)
  const drawn = (told?.atMs ?? 0) - (down?.fromMs ?? 0)
  expect(Math.abs(drawn - really)).toBeLessThan(20)
  // Until it is back nothing else is drawn: it is no master for as long as nobody holds it down as a replica.
  const after = lane?.spans.find(({ fromMs }) => fromMs >= (down?.untilMs ?? 0))
  const back = truth.happenings.find(
    (one) =>
      one.kind === 'status' &&
      one.process === 'n1' &&
      one.atMs > (died?.atMs ?? 0) &&
      one.status === 'running',
  )
  expect((after?.fromMs ?? 0) - (down?.fromMs ?? 0)).toBeGreaterThanOrEqual(
    (back?.atMs ?? 0) - (died?.atMs ?? 0) - 20,
  )
})

test('a new master is not drawn as down because the Sentinel beside the old one lost it', async () => {
  const { run, chapters } = await played('09-isolated-master-without-min-replicas.yml')
  const [chapter] = explainRecorded(run.file, run.history)
  const to = /to (\S+)$/.exec(chapters[0]?.title ?? '')?.[1]
  const { lanes } = createLanes(run.file, run.history)
  const heir = lanes.find(({ name }) => name === to)
  expect(
    heir?.spans.filter(({ fromMs }) => fromMs > 0).map(({ state }) => state.kind),
  ).not.toContain('down')
  expect(heir?.remarks.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^down for [\d.:]+ \(cut off from the majority\) only$/),
  ])
  const old = lanes.find(({ name }) => name === chapter?.master)
  expect(old?.remarks[0]?.text).toMatch(/^answers [\d.:]+ \(cut off from the majority\) only$/)
  const text = chapter?.links.map((one) => one.text).join('\n')
  expect(text).toMatch(
    /^No majority of the Sentinels is in reach of [\d.:]+ \(until [\d.]+ s\)\.$/m,
  )
  expect(text).toMatch(
    /only, until [\d.]+ s: clients on that side may have gone on writing to it\.$/m,
  )
  // Both replicas ran, whatever the Sentinel that was cut off held of them.
  expect(text).toContain('the priorities are equal')
  const page = renderRecordedPage({ title: '', remarks: [], file: run.file, history: run.history })
  expect(page.match(/<rect class="remark"/g)?.length).toBeGreaterThanOrEqual(3)
})

test('a silent master is drawn as down from the first PING that it did not answer', async () => {
  const { run } = await played('17-hung-master-thaws.yml')
  const told = run.history.happenings.find((one) => one.kind === 'event' && one.name === '+sdown')
  const { lanes } = createLanes(run.file, run.history)
  const [down] = lanes.flatMap(({ kind, spans }) =>
    kind === 'node' ? spans.filter(({ state, fromMs }) => state.kind === 'down' && fromMs > 0) : [],
  )
  // Down-after is a second.
  expect((told?.atMs ?? 0) - (down?.fromMs ?? 0)).toBeGreaterThan(900)
})

test('a Sentinel without a record is not drawn as down, and not counted as one that does not run', async () => {
  const { lives, ties } = await played('01-master-killed.yml')
  const [one] = lives
  if (one === undefined) throw new Error('nothing is recorded')
  const run = recordedRun([one], ties)
  const { lanes } = createLanes(run.file, run.history)
  const states = lanes.flatMap(({ kind, spans }) =>
    kind === 'sentinel' ? [new Set(spans.map(({ state }) => state.kind))] : [],
  )
  expect(states.filter((some) => some.has('unknown'))).toEqual([
    new Set(['unknown']),
    new Set(['unknown']),
  ])
  const text = explainRecorded(run.file, run.history).flatMap(({ links }) =>
    links.map((link) => link.text),
  )
  expect(text.join('\n')).not.toMatch(/was not there yet|Sentinels run|Never: /)
  expect(text.join('\n')).toMatch(/There is no record of [\d.:]+ and [\d.:]+\./)
})

test('a Sentinel whose record ends before those of the others is not drawn as down from then on', async () => {
  const { lives, ties } = await played('01-master-killed.yml')
  const [one] = lives
  if (one === undefined) throw new Error('nothing is recorded')
  one.lastMonoMs -= 3_000
  const run = recordedRun(lives, ties)
  const { lanes } = createLanes(run.file, run.history)
  const last = lanes.flatMap(({ kind, spans }) => (kind === 'sentinel' ? [spans.at(-1)] : []))
  // The last steps of the others are some milliseconds apart.
  const unknown = last.filter((span) => span?.state.kind === 'unknown')
  const longMs = unknown.map((span) => run.history.endMs - (span?.fromMs ?? 0))
  expect(longMs.filter((ms) => ms > 2_000).length).toBe(1)
  expect(longMs.filter((ms) => ms > 200).length).toBe(1)
  expect(last.map((span) => span?.state.kind)).not.toContain('down')
})
