import { expect, test } from 'vitest'
import { utf8Bytes } from '../../src/base/utf8.ts'
import { commonTime } from '../../src/blackbox/incident/common-time.ts'
import { aboutGroups, partOf, recordedRun } from '../../src/cli/incident/recorded-run.ts'
import { groupsIn, idsOf, tell } from '../../src/cli/incident/stories.ts'
import { eventsOf } from '../../src/cli/incident/text.ts'
import { reconstruct } from '../../src/cli/incident/what-if/reconstruct.ts'
import { scenarioOf } from '../../src/cli/incident/what-if/scenario.ts'
import type { Happening } from '../../src/history/happening.ts'
import { explainRecorded } from '../../src/report/chain/chain.ts'
import { renderRecordedPage } from '../../src/report/page/html-page.ts'
import { played } from './recorded-lives.ts'

const killed = played('01-master-killed.yml')

test('the clocks of Sentinels that have talked are tied to within a round trip', async () => {
  const { truth, lives, ties } = await killed
  // By how much the common time and the true one differ at each start is the same for all.
  const begun = truth.happenings.filter(
    (one) => one.kind === 'status' && /^s\d$/.test(one.process ?? ''),
  )
  const starts = lives.map((life, at) => {
    return life.startedAt.monoMs + (ties.get(life)?.offsetMs ?? 0) - (begun[at]?.atMs ?? 0)
  })
  for (const [at, life] of lives.entries()) {
    const { withinMs = 0 } = ties.get(life) ?? {}
    expect(withinMs).toBeLessThan(10)
    expect(Math.abs((starts[at] ?? 0) - (starts[0] ?? 0))).toBeLessThanOrEqual(withinMs + 1)
  }
  const ahead = lives.slice(1).map((life) => ties.get(life)?.aheadMs ?? 0)
  // The wall clocks of a simulated world are up to a tenth of a second off by themselves.
  expect(Math.abs((ahead[0] ?? 0) - 7_000)).toBeLessThan(210)
  expect(Math.abs((ahead[1] ?? 0) + 42_000)).toBeLessThan(210)
})

test('events stand in the order in which they happened, though the clocks differ by seconds', async () => {
  const { truth, run } = await killed
  const told = run.history.happenings.filter(({ kind }) => kind === 'event')
  const wanted = ['+sdown', '+odown', '+try-failover', '+elected-leader', '+switch-master']
  const hosts = [...new Set(told.map(({ process = '' }) => process))].sort()
  const counts = new Map<string, number>()
  const seen = truth.happenings.flatMap((one) => {
    if (one.kind !== 'event' || one.process === undefined || !wanted.includes(one.name)) return []
    // The run knows Sentinels by name, s1 to s3, the records by address.
    const host = hosts[Number(one.process.slice(1)) - 1]
    const count = counts.get(`${host} ${one.name}`) ?? 0
    counts.set(`${host} ${one.name}`, count + 1)
    const same = [...told.entries()].filter(
      ([, other]) => other.kind === 'event' && other.name === one.name && other.process === host,
    )
    return [{ atMs: one.atMs, place: same[count]?.[0] ?? -1, name: one.name }]
  })
  expect(seen.length).toBeGreaterThan(5)
  for (const [at, one] of seen.entries()) {
    expect(one.place, one.name).toBeGreaterThanOrEqual(0)
    for (const later of seen.slice(at + 1)) {
      // Within a round trip no exchange says which was first.
      if (later.atMs - one.atMs > 5) expect(later.place).toBeGreaterThan(one.place)
    }
  }
})

test('the story names who noticed, who agreed, who was elected, and what followed', async () => {
  const { chapters } = await killed
  expect(chapters.length).toBe(1)
  const [chapter] = chapters
  expect(chapter?.title).toMatch(/^mymaster: failover from [\d.:]+ to [\d.:]+$/)
  const text = chapter?.links.map((one) => one.text).join('\n') ?? ''
  for (const part of ['is the first to hold', '+odown at', 'is elected after', '+selected-slave'])
    expect(text).toContain(part)
  expect(text).toContain('The Sentinels announce')
  // Both replicas ran.
  expect(text).toMatch(/selects [\d.:]+ before [\d.:]+: the priorities are equal/)
  expect(text).not.toContain('Nothing had been done')
})

test('a Sentinel that was forgotten since still counts in the election', async () => {
  const all = (await played('01-master-killed.yml')).lives
  const forgotten = all.at(-1)?.myid
  const lives = all.slice(0, -1)
  for (const { state } of lives)
    for (const { peers } of state.groups.values())
      for (const [key, { runId }] of peers) if (runId === forgotten) peers.delete(key)
  const { file, history } = recordedRun(lives, commonTime(lives))
  expect(file.topology.sentinels).toHaveLength(2)
  const text = explainRecorded(file, history).flatMap(({ links }) => links.map((one) => one.text))
  expect(text.join('\n')).toMatch(
    /2 of 3 Sentinels agree.*is elected after .*\(2 of 3 are needed\)/s,
  )
})

test('in a strict group the newest history is told as the reason, not a priority', async () => {
  const { chapters } = await played('83-strict-newest-history-before-priority.yml')
  const text = chapters.flatMap(({ links }) => links.map((one) => one.text)).join('\n')
  expect(text).toMatch(/selects \S+ before \S+: of the voters that were fenced it has the newest/)
})

test('a part of a long record tells the same incident, from a time of its own', async () => {
  const { run, chapters } = await killed
  const [chapter] = chapters
  const { fromMs = 0, untilMs = 0 } = chapter ?? {}
  expect(fromMs).toBeGreaterThan(2_000)
  const part = partOf(run, fromMs, untilMs)
  const times = part.history.happenings.map(({ atMs }) => atMs)
  expect(Math.min(...times)).toBe(0)
  expect(Math.max(...times)).toBeLessThanOrEqual(part.history.endMs)
  expect(part.history.endMs).toBeLessThan(run.history.endMs)
  const [told] = explainRecorded(part.file, part.history)
  const words = (links = chapter?.links) => links?.map(({ text }) => text.replace(/\d[\d.]*/g, '#'))
  expect(words(told?.links)).toEqual(words())
  expect(part.zeroMs + (told?.fromMs ?? 0)).toBeCloseTo(run.zeroMs + fromMs, 3)
})

test('the page of an incident has its sentences, a lane for each process, and loads nothing', async () => {
  const { run, chapters } = await killed
  const [{ title, fromMs, untilMs, links } = { title: '', fromMs: 0, untilMs: 0, links: [] }] =
    chapters
  const { file, history } = partOf(run, fromMs, untilMs)
  const page = renderRecordedPage({ title, remarks: ['<times> of s1'], file, history })
  expect(page).toContain('<p class="run">&lt;times&gt; of s1</p>')
  expect(page.match(/<li><a class="when"/g)).toHaveLength(links.length)
  for (const { name } of [...file.topology.nodes, ...file.topology.sentinels])
    expect(page).toContain(name)
  // Each Sentinel names a master from the beginning, and another one in the end.
  expect(page).not.toContain('>starting<')
  expect(page).not.toMatch(/NaN|undefined<|(?:src|href)="(?!#)/)
  expect(page).toContain('content="default-src &#39;none&#39;;')
})

test('a story of which nobody recorded the beginning says so', async () => {
  const { run } = await killed
  const happenings = run.history.happenings.filter(
    (one) => one.kind !== 'event' || one.name !== '+sdown',
  )
  const [chapter] = explainRecorded(run.file, { ...run.history, happenings })
  const [first, second] = chapter?.links ?? []
  expect(first?.text).toContain('No record says that a Sentinel held 10.0.0.1:6379 down')
  expect(second?.text).toContain('+odown')
})

test('a failover of which only its end is recorded is told, every time: redis-sentinel led it', async () => {
  const { run } = await killed
  const switched = (atMs: number, from: number, to: number) =>
    ['s1', 's2'].map((process): Happening => {
      const payload = `mymaster 10.0.0.${from} 6379 10.0.0.${to} 6379`
      return { atMs, process, kind: 'event', name: '+switch-master', payload }
    })
  const moments = [switched(1_000, 1, 2), switched(2_000, 2, 1), switched(3_000, 1, 2)]
  const told = explainRecorded(run.file, { ...run.history, happenings: moments.flat() })
  const titles = told.map(({ title, fromMs }) => `${fromMs} ${title}`)
  expect(titles).toEqual([
    '1000 mymaster: failover from 10.0.0.1:6379 to 10.0.0.2:6379',
    '2000 mymaster: failover from 10.0.0.2:6379 to 10.0.0.1:6379',
    '3000 mymaster: failover from 10.0.0.1:6379 to 10.0.0.2:6379',
  ])
  const texts = told[2]?.links.map(({ text }) => text).join('\n')
  expect(texts).toContain(
    'promoted by a Sentinel that did not say so, or of which there is no record',
  )
  expect(texts).toContain('The Sentinels announce 10.0.0.2:6379: s1 at 3.000 s and s2 at 3.000 s')
})

test('a handover that an operator ordered is told as one', async () => {
  const { chapters } = await played('37-planned-handover.yml')
  const [first, second, third] = chapters[0]?.links ?? []
  expect(first?.text).toMatch(/^No Sentinel held \S+ down: an operator ordered it\.$/)
  expect(second?.text).toContain('in epoch 1 for the handover that an operator ordered')
  expect(third?.text).toMatch(/is elected after \S+ ms, with the votes of/)
})

test('a Sentinel that was cut off during the election is tied by its hellos, and the other two by theirs', async () => {
  const { lives, ties } = await played('09-isolated-master-without-min-replicas.yml')
  expect(lives).toHaveLength(3)
  const alone = lives.findIndex(({ contacts }) => {
    const peers = contacts.lost.filter(({ role }) => role === 'sentinel')
    return new Set(peers.map(({ address }) => address)).size === 2
  })
  expect(alone).toBeGreaterThanOrEqual(0)
  for (const [at, life] of lives.entries()) {
    const { withinMs = Number.POSITIVE_INFINITY, aheadMs = 0 } = ties.get(life) ?? {}
    const skewMs = [0, 7_000, -42_000][at] ?? 0
    if (at > 0) expect(withinMs).toBeLessThan(20)
    // The wall clocks of a simulated world are up to a tenth of a second off by themselves.
    if (at > 0) expect(Math.abs(aheadMs - skewMs)).toBeLessThan(210 + withinMs)
  }
})

test('a hello that was said before a record begins ties no clock', async () => {
  // The second Sentinel's record begins before the first hello with an epoch, but after those without one.
  const { lives, ties } = await played('01-master-killed.yml', [0, 4_000, 0])
  const { withinMs = Number.POSITIVE_INFINITY, aheadMs = 0 } = ties.get(lives[1] ?? never()) ?? {}
  expect(withinMs).toBeLessThan(10)
  expect(Math.abs(aheadMs - 7_000)).toBeLessThan(210)
})

function never(): never {
  throw new Error('there is no such record')
}

test('an id means one incident, though the one before was not over until its master was back', () => {
  const chapter = (fromMs: number, untilMs: number, group = 'g') => {
    return { group, master: undefined, title: '', links: [], fromMs, untilMs }
  }
  const all = [chapter(0, 500), chapter(1, 2, 'h'), chapter(200, 210)]
  const ended = [
    { group: 'g', id: 'g-1', atMs: 1 },
    { group: 'h', id: 'h-1', atMs: 1 },
    { group: 'g', id: 'g-2', atMs: 205 },
    { group: 'g', id: 'g-2', atMs: 210 },
  ]
  expect(all.map((one) => idsOf(one, all, ended))).toEqual([['g-1'], ['h-1'], ['g-2']])
})

test('the records name the groups that they are about, one that was removed too', async () => {
  const { lives } = await played('01-master-killed.yml')
  expect(groupsIn(tell(lives, { group: 'mymastr' }))).toEqual(['mymaster'])
  for (const { state } of lives) state.groups.clear()
  expect(groupsIn(tell(lives, { group: 'mymastr' }))).toEqual(['mymaster'])
})

test('a group whose name is not in ASCII is found by its name and its id, told with it, and reconstructed', async () => {
  const { lives } = await played('01-master-killed.yml', [], utf8Bytes('größe'))
  const told = tell(lives, { group: 'größe', id: 'größe-1' })
  const [story] = told.stories
  if (story === undefined) throw new Error('it was not found')
  expect(story.chapter.title).toMatch(/^größe: failover from /)
  const switched = eventsOf(story).find(({ text }) => text.startsWith('+switch-master'))
  expect(switched?.text).toMatch(/^\+switch-master größe 10\./)
  const real = reconstruct(told, lives, story.chapter)
  if (typeof real === 'string') throw new Error(real)
  expect(real.switchedMs).toBeDefined()
  expect(scenarioOf(real.reconstruction, [])).toMatchObject({
    topology: { groups: [{ name: 'group1' }] },
  })
})

test('the story of a group lists no event of another group that was in trouble at the same time', async () => {
  const { lives } = await played('29-two-groups-share-sentinels.yml')
  const about = (text: string) => /\b(orders|users|cache)\b/.exec(text)?.[1]
  const [story] = tell(lives, { group: 'orders' }).stories
  if (story === undefined) throw new Error('it was not found')
  expect(new Set(eventsOf(story).map(({ text }) => about(text)))).toEqual(
    new Set([undefined, 'orders']),
  )
})

test('the page of a group has the lanes of its nodes, and no story of another group', async () => {
  const { lives } = await played('29-two-groups-share-sentinels.yml')
  const { run, chosen } = tell(lives, { group: 'orders' })
  const [{ title, fromMs, untilMs } = { title: '', fromMs: 0, untilMs: 0 }] = chosen
  const { file, history } = partOf(aboutGroups(run, new Set(['orders'])), fromMs, untilMs)
  const page = renderRecordedPage({ title, remarks: [], file, history })
  expect(file.topology.nodes).toHaveLength(2)
  expect(run.file.topology.nodes).toHaveLength(6)
  for (const { name } of [...file.topology.nodes, ...file.topology.sentinels])
    expect(page).toContain(name)
  expect(page).toContain('orders: failover from')
  expect(page).not.toMatch(/\b(users|cache)\b|NaN|undefined</)
})
