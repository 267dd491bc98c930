/** Journals of nodes beside the records of Sentinels: their time, and their place in the story. */
import { expect, test } from 'vitest'
import { type NodeLife, nodeTime } from '../../src/blackbox/incident/node-time.ts'
import { nodeClockLines, ownWordsOf, withJournals } from '../../src/cli/incident/own-words.ts'
import { partOf } from '../../src/cli/incident/recorded-run.ts'
import { entriesText, type JournalEntry, readEntries } from '../../src/journal/entry-text.ts'
import { renderRecordedPage } from '../../src/report/page/html-page.ts'
import { played } from './recorded-lives.ts'
import type { KeptJournal } from './support.ts'

const killed = played('01-master-killed.yml')

/** Each process has a monotonic clock of its own, which begins anywhere. */
const BEGINS_AT_MS = 77_000

function lifeOf({ runId, entries }: KeptJournal, shiftMs = BEGINS_AT_MS): NodeLife {
  const read = readEntries(entriesText(entries)) as readonly JournalEntry[]
  const shifted = read.map(({ now, ...entry }) => {
    return { ...entry, now: { ...now, monoMs: now.monoMs + shiftMs } }
  })
  const now = shifted[0]?.now ?? { monoMs: 0, wallMs: 0 }
  const head = { program: 'x', keeper: 'node', address: 'itself:1', runId: runId(), now } as const
  return { head, entries: shifted }
}

test('the time of a node is tied to that of the Sentinels by its answers to INFO', async () => {
  const { truth, lives, ties, journals } = await killed
  const [first] = lives
  const status = (name: string) =>
    truth.happenings.filter(
      (one) => one.process === name && one.kind === 'status' && one.status === 'running',
    )
  // Records are kept in the order in which the Sentinels start.
  const begun = truth.happenings.find(
    (one) => one.kind === 'status' && /^s\d$/.test(one.process ?? ''),
  )
  const sentinelStart = begun?.atMs ?? 0
  const common = (first?.startedAt.monoMs ?? 0) + ((first && ties.get(first)?.offsetMs) || 0)
  const zeroMs = common - sentinelStart
  const counts = new Map<string, number>()
  expect(journals.length).toBe(4)
  for (const journal of journals) {
    const node = lifeOf(journal)
    const { offsetMs, withinMs = 1e9, address } = nodeTime(node, ties)
    const count = counts.get(journal.name) ?? 0
    counts.set(journal.name, count + 1)
    expect(withinMs).toBeLessThan(10)
    expect(address).toMatch(/^10\.\d+\.\d+\.\d+:6379$/)
    const started = (node.entries[0]?.now.monoMs ?? 0) + offsetMs - zeroMs
    expect(Math.abs(started - (status(journal.name)[count]?.atMs ?? 0))).toBeLessThanOrEqual(
      withinMs + 2,
    )
  }
})

test('a clock that was set between two answers does not move what came before it', async () => {
  const { ties, journals } = await killed
  const [journal] = journals.filter(({ name }) => name === 'n2')
  if (journal === undefined) throw new Error('n2 has no journal')
  const node = lifeOf(journal)
  const right = nodeTime(node, ties)
  const [start, ...later] = node.entries
  if (start === undefined) throw new Error('it says nothing')
  // As if it had been half an hour behind at its start, before it answered anyone.
  const behind = { ...start, now: { ...start.now, wallMs: start.now.wallMs - 1_800_000 } }
  const moved = nodeTime({ ...node, entries: [behind, ...later] }, ties)
  expect(moved.offsetMs).toBe(right.offsetMs)
})

test('where nothing ties it, its own clock is believed, and that is said', async () => {
  const { ties, journals } = await killed
  const [journal] = journals
  if (journal === undefined) throw new Error('there is no journal')
  const known = lifeOf(journal)
  const node = { ...known, head: { ...known.head, runId: 'f'.repeat(40) } }
  const tie = nodeTime(node, ties)
  const { now } = node.entries[0] ?? node.head
  expect(tie).toMatchObject({ address: 'itself:1', withinMs: undefined })
  expect(now.monoMs + tie.offsetMs).toBe(now.wallMs)
  expect(nodeClockLines(new Map([[node, tie]]))).toEqual([
    'nothing ties the clock of node itself:1 (run ffffffff) to those of the Sentinels: its own clock is believed',
  ])
})

test('a node says that it was promoted after the order for it, and before the Sentinel knows', async () => {
  const { lives, ties, journals, run } = await killed
  const nodes = journals.map((journal) => lifeOf(journal))
  const told = withJournals(run, new Map(nodes.map((node) => [node, nodeTime(node, ties)])))
  const said = told.history.happenings.filter((one) => one.kind === 'said')
  const promoted = said.filter(({ fact }) => fact === 'master')
  expect(promoted).toHaveLength(1)
  const [{ atMs = 0, process = '' } = {}] = promoted
  const orders = lives.flatMap((life) =>
    life.nodeTalk.orders
      .filter((one) => one.address === process && one.master === 'no one')
      .map(({ sentAtMs, answeredAtMs = 0 }) => {
        const offset = (ties.get(life)?.offsetMs ?? 0) - run.zeroMs
        return { sentAtMs: sentAtMs + offset, answeredAtMs: answeredAtMs + offset }
      }),
  )
  expect(orders).toHaveLength(1)
  expect(atMs).toBeGreaterThanOrEqual((orders[0]?.sentAtMs ?? 0) - 1)
  expect(atMs).toBeLessThanOrEqual((orders[0]?.answeredAtMs ?? 0) + 1)
  const lost = said.filter(({ fact }) => fact === 'linkLost')
  expect(lost).toHaveLength(2)
})

test('what the nodes say stands beside an incident, and in their lanes on the page', async () => {
  const { ties, journals, run, chapters } = await killed
  const [chapter] = chapters
  if (chapter === undefined) throw new Error('there is no incident')
  const nodes = journals.map((journal) => lifeOf(journal))
  const told = withJournals(run, new Map(nodes.map((node) => [node, nodeTime(node, ties)])))
  const facts = ownWordsOf({ run: told, chapter }).map(({ fact }) => fact)
  expect(facts).toContain('linkLost')
  expect(facts).toContain('master')
  // The start of the cluster is long before it.
  expect(facts.indexOf('linkLost')).toBe(0)
  const part = partOf(told, chapter.fromMs, chapter.untilMs)
  const { file, history } = part
  const shown = history.happenings.flatMap((one) => (one.kind === 'said' ? [one.fact] : []))
  expect(shown).toEqual(facts)
  const page = renderRecordedPage({ title: 'x', remarks: [], file, history })
  expect(page).toContain('says of itself: is a master now')
  expect(page).toContain('says: has lost the link to')
})
