/**
 * Plays every order of what can happen to three data nodes of production, up to a bound: which way delivers next,
 * who dies, when time passes, what a client asks where, and what up to two leaders that know nothing of each other
 * order. Histories of clients are judged after every step that gave an answer.
 *
 *     npm run explore -- --protocol handover --writes 2
 *     npm run explore -- --protocol async --deaths 1 --json
 *
 * `handover`: FAILOVER TO, which promises to lose nothing. `async`: a leader asks a majority how far it is and promotes the
 * furthest, which promises nothing: the shortest proof that the search finds what there is to find. Exit status: 0 nothing
 * was found, 1 something was, with the steps that lead to it, 2 an option is wrong.
 *
 * A handshake takes a dozen deliveries. `--whole-links` makes a connection to a new master in one step, so that the same
 * number of steps reaches what clients meet there; the orders within a handshake are not played then.
 *
 * Two paths lead to the same state if every node, every leader and the clients met the same things in the same order:
 * then nothing that follows can differ, and only one of them is continued. A path is played again from its beginning
 * for each branch, because nodes cannot be copied.
 */
import { createHash } from 'node:crypto'
import { PROTOCOLS } from './explore/protocols.mjs'
import { World } from './explore/world.mjs'
import { scriptOptions } from './options.mjs'

const values = scriptOptions(import.meta.url, {
  protocol: { type: 'string', default: 'handover' },
  writes: { type: 'string', default: '1' },
  reads: { type: 'string', default: '1' },
  leaders: { type: 'string', default: '1' },
  deaths: { type: 'string', default: '0' },
  passes: { type: 'string', default: '0' },
  'whole-links': { type: 'boolean', default: false },
  depth: { type: 'string', default: '60' },
  minutes: { type: 'string', default: '10' },
  json: { type: 'boolean', default: false },
})
if (!(values.protocol in PROTOCOLS)) {
  console.error(
    `explore: --protocol ${values.protocol}: must be one of ${Object.keys(PROTOCOLS).join(', ')}`,
  )
  process.exit(2)
}
const bound = {
  writes: Number(values.writes),
  reads: Number(values.reads),
  leaders: Number(values.leaders),
  deaths: Number(values.deaths),
  passes: Number(values.passes),
  wholeLinks: values['whole-links'],
}
const depthMax = Number(values.depth)
const startedAtMs = performance.now()
const endMs = startedAtMs + Number(values.minutes) * 60_000

const seen = new Set()
/** `depth`: every path of so many steps was played. */
const tally = { states: 0, merged: 0, steps: 0, depth: 0 }
let found
let isWhole = false

explore()
report()

/** Breadth first, so that what is found comes with the fewest steps, and a bound in steps means all paths of that length. */
function explore() {
  let paths = [[]]
  for (; paths.length > 0 && tally.depth < depthMax; tally.depth++) {
    const longer = []
    for (const path of paths) {
      if (performance.now() > endMs) return
      longer.push(...branchesOf(path))
      if (found !== undefined) return
    }
    paths = longer
  }
  isWhole = paths.length === 0
}

/** The path with each choice that there is at its end; none if its state is known. */
function branchesOf(path) {
  const world = replayed(path)
  const text = world.violation()
  if (text !== undefined) found = { text, path }
  if (!isNew(world)) return []
  return world.choices().map((choice) => [...path, choice])
}

function replayed(path) {
  const world = new World(values.protocol, bound)
  for (const choice of path) world.choose(choice)
  tally.steps += path.length
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
  const summary = { protocol: values.protocol, ...bound, ...tally, seconds, isWhole, found }
  if (values.json) console.log(JSON.stringify(summary))
  else console.log(summary)
  if (found !== undefined) process.exitCode = 1
}
