/**
 * Plays every order of what can happen to three data nodes of production, up to a bound: which way delivers next,
 * who dies, when time passes, what a client asks where, and what up to two leaders that know nothing of each other
 * order. Histories of clients are judged after every step that gave an answer.
 *
 *     node scripts/explore.mjs --replication async --writes 1 --leaders 1
 *     node scripts/explore.mjs --replication strict --writes 2 --leaders 2 --deaths 1 --minutes 10
 *
 * Two paths lead to the same state if every node, every leader and the clients met the same things in the same order:
 * then nothing that follows can differ, and only one of them is continued. A path is played again from its beginning
 * for each branch, because nodes cannot be copied.
 */
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { World } from './explore/world.mjs'

const { values } = parseArgs({
  options: {
    replication: { type: 'string', default: 'strict' },
    writes: { type: 'string', default: '2' },
    leaders: { type: 'string', default: '2' },
    deaths: { type: 'string', default: '1' },
    passes: { type: 'string', default: '1' },
    depth: { type: 'string', default: '40' },
    minutes: { type: 'string', default: '10' },
    'go-on': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const bound = {
  writes: Number(values.writes),
  leaders: Number(values.leaders),
  deaths: Number(values.deaths),
  passes: Number(values.passes),
}
const depthMax = Number(values.depth)
const startedAtMs = performance.now()
const endMs = startedAtMs + Number(values.minutes) * 60_000

const seen = new Set()
const found = new Map()
const tally = { states: 0, merged: 0, steps: 0, replays: 0, longest: 0 }
let isCut = false

explore()
report()

/** Depth first; the first choice goes on in the same world, each other one begins anew. */
function explore() {
  const stack = [[]]
  while (stack.length > 0) {
    if (performance.now() > endMs) {
      isCut = true
      return
    }
    const path = stack.pop()
    const world = replayed(path)
    if (world !== undefined) follow(world, path, stack)
    if (found.size > 0 && !values['go-on']) return
  }
}

function follow(world, path, stack) {
  for (;;) {
    const violation = world.violation()
    if (violation !== undefined) {
      if (!found.has(violation)) found.set(violation, [...path])
      return
    }
    if (!isNew(world)) return
    tally.longest = Math.max(tally.longest, path.length)
    if (path.length >= depthMax) {
      isCut = true
      return
    }
    const [first, ...others] = world.choices()
    for (const other of others) stack.push([...path, other])
    if (first === undefined) return
    world.choose(first)
    tally.steps++
    path.push(first)
  }
}

function replayed(path) {
  const world = new World(values.replication, bound)
  tally.replays++
  for (const choice of path) {
    world.choose(choice)
    tally.steps++
  }
  return world
}

function isNew(world) {
  const key = createHash('sha1').update(world.key()).digest('base64')
  if (seen.has(key)) {
    tally.merged++
    return false
  }
  seen.add(key)
  tally.states++
  return true
}

function report() {
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000)
  const isWhole = !isCut && found.size === 0
  const summary = {
    replication: values.replication,
    ...bound,
    ...tally,
    seconds,
    isWhole,
    violations: found.size,
  }
  if (values.json) console.log(JSON.stringify(summary))
  else console.log(summary)
  for (const [text, path] of found) console.log(`${text}\n    ${path.join('\n    ')}`)
  if (found.size > 0) process.exitCode = 1
}
