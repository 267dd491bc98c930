/**
 * Who notices a change: drawn seeds, shipped scenarios, unit tests, and tests beside redis-server; each by
 * itself, since all are wanted. Of each the likeliest are tried first, for as long as the time allowed to it lasts.
 */
import { posix } from 'node:path'
import { pathOf } from '../../scripts/paths.mjs'
import { runChild } from './child.mjs'
import { HOOK, PLAYER, VITEST } from './record.mjs'

/** In the order in which the first to notice is named. */
export const JUDGES = ['seeds', 'scenarios', 'unit tests', 'beside Redis']

/** What takes so many times as long as without the change will never end, give or take a start. */
const PATIENCE = 4
const START_MS = 4_000

/** For each judge `{ reached, tried, changed, notice }`; `secondsEach`: processor time without a change. */
export async function judge(mutation, index, recorded, secondsEach) {
  const chosen = JUDGES.map((kind) => choose(kind, mutation, index, recorded, secondsEach))
  const [seeds, scenarios, ...tests] = chosen
  await playAll(mutation, [seeds, scenarios])
  for (const own of tests) await runTests(mutation, own)
  return Object.fromEntries(
    chosen.map(({ kind, reached, tried, changed, notice }) => [
      kind,
      { reached, tried, changed, notice },
    ]),
  )
}

function choose(kind, mutation, index, recorded, secondsEach) {
  const reaching = recorded.flatMap((play) => {
    const count = play.executed.find(([at]) => at === index)?.[1]
    return play.kind === kind && count !== undefined ? [{ ...play, count }] : []
  })
  const isPlayed = kind === 'seeds' || kind === 'scenarios'
  const sorted = isPlayed ? byChance(reaching) : byKinship(reaching, mutation)
  let leftMs = secondsEach * 1_000
  const plays = sorted.filter(({ cpuMs }, at) => {
    if (at > 0 && cpuMs > leftMs) return false
    leftMs -= cpuMs
    return true
  })
  return { kind, plays, reached: reaching.length, tried: 0, changed: 0, notice: undefined }
}

/** Whatever executes the place most often for its time. */
function byChance(plays) {
  const worth = ({ count, cpuMs }) => count / (cpuMs + 50)
  return plays.sort((a, b) => worth(b) - worth(a))
}

/** Tests in the folder of the same name first, and those of the same file before all; then the short ones. */
function byKinship(plays, { file }) {
  const folder = `test/${posix.dirname(file)}/`
  const own = `${folder}${posix.basename(file, '.js')}`
  const distance = ({ name }) => (name.startsWith(own) ? 0 : name.startsWith(folder) ? 1 : 2)
  return plays.sort((a, b) => distance(a) - distance(b) || a.cpuMs - b.cpuMs)
}

/** One process plays both kinds; one that breaks or hangs is replaced for what is left. */
async function playAll(mutation, judges) {
  const queue = judges.flatMap(({ plays }) => plays)
  while (queue.length > 0) {
    const task = { dist: pathOf('dist'), plays: queue.map(({ kind, name }) => ({ kind, name })) }
    const { how, words } = await runChild(['--import', HOOK, PLAYER, JSON.stringify(task)], {
      env: { VEDETTE_MUTATION: JSON.stringify(mutation), VEDETTE_PLACES: '' },
      boundMs: () => START_MS + PATIENCE * (queue[0]?.cpuMs ?? 0),
      hear({ name, finding, hash }) {
        const play = queue.shift()
        const own = judges.find(({ kind }) => kind === play.kind)
        own.tried++
        if (hash !== play.hash) own.changed++
        if (finding === undefined) return
        own.notice = { how: 'judge', where: name, finding }
        drop(queue, play.kind)
      },
    })
    const [broken] = queue
    if (broken === undefined) return
    const own = judges.find(({ kind }) => kind === broken.kind)
    own.tried++
    own.changed++
    own.notice = brokenBy(how, words, broken.name)
    drop(queue, broken.kind)
  }
}

async function runTests(mutation, own) {
  if (own.plays.length === 0) return
  const names = own.plays.map(({ name }) => name)
  const costs = new Map(own.plays.map(({ name, cpuMs }) => [name, cpuMs]))
  const { how, status, words } = await runChild(VITEST, {
    env: {
      VEDETTE_MUTATION: JSON.stringify(mutation),
      VEDETTE_PLACES: '',
      VEDETTE_TESTS: JSON.stringify(names),
    },
    boundMs: () => START_MS + PATIENCE * (costs.get(names[own.tried]) ?? 1_000),
    hear({ name, finding }) {
      own.tried++
      if (finding === undefined) return true
      own.notice = { how: 'judge', where: name, finding }
      return false
    },
  })
  if (own.notice !== undefined || (how === 'ended' && own.tried >= names.length)) return
  if (how === 'ended' && status === 0) throw new Error(`tests were not run: ${words}`)
  own.notice = brokenBy(how, words, names[own.tried] ?? '')
}

function brokenBy(how, words, where) {
  if (how === 'late') return { how: 'endless', where, finding: 'it never comes to an end' }
  const [reason] = /\w*(Error|ERROR|error)\b.*/.exec(words) ?? ['it ends without a word']
  return { how: 'crash', where, finding: reason.slice(0, 120) }
}

function drop(queue, kind) {
  queue.splice(0, queue.length, ...queue.filter((play) => play.kind !== kind))
}
