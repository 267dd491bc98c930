/**
 * Makes incidents: scenarios on real processes, the records of their Sentinels, and what `vedette incident`
 * tells of them as text and as a page. Needs root and network namespaces, as the process engine does.
 *
 *   npm run incidents [-- --only kill,cut] [--render]
 *
 * --render records nothing: texts and pages are made anew from the records that are there.
 *
 * Exit status 1: a scenario did not pass, or no incident is told of it; 2: an option makes no sense.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { scriptOptions } from './options.mjs'
import { pathOf } from './paths.mjs'
import { captureNode } from './spawn.mjs'

/** The scenario of each kind. */
const KINDS = new Map([
  ['kill', 'scenarios/01-master-killed.yml'],
  ['stop', 'scenarios/17-hung-master-thaws.yml'],
  ['cut', 'scenarios/09-isolated-master-without-min-replicas.yml'],
  ['gray', 'scenarios/76-gray-master.yml'],
  // A real process takes longer to return than the evidence of its death: without evidence it is back in time.
  ['empty-master', 'incidents/empty-master.yml'],
  ['handover-gone-wrong', 'scenarios/38-planned-handover-goes-wrong.yml'],
  ['split-vote', 'incidents/split-vote.yml'],
])
/** Played by itself: beside others a candidate is late, hears of the epoch of another one, and does not stand. */
const ALONE = 'split-vote'
const MAIN = pathOf('dist/launch/vedette.cjs')

const { only, render = false } = scriptOptions(import.meta.url, {
  only: { type: 'string' },
  render: { type: 'boolean' },
})
const kinds = only?.split(',') ?? [...KINDS.keys()]
process.exitCode = await makeAll()

async function makeAll() {
  const unknown = kinds.filter((kind) => !KINDS.has(kind))
  if (unknown.length > 0) {
    console.error(`incidents: no such kind: ${unknown}; there are ${[...KINDS.keys()].join(', ')}`)
    return 2
  }
  if (!(await ensureBuilt())) return 1
  const scratch = mkdtempSync(join(tmpdir(), 'vedette-incidents-'))
  try {
    const records = join(scratch, 'records')
    const parts = [kinds.filter((kind) => kind !== ALONE), kinds.filter((kind) => kind === ALONE)]
    for (const part of render ? [] : parts) if (!(await play(part, records))) return 1
    if (!render) for (const kind of kinds) keep(kind, records)
    const made = []
    for (const kind of kinds) made.push(await tell(kind))
    return made.includes(false) ? 1 : 0
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/** Whether the scenarios of these kinds passed. */
async function play(kinds, records) {
  if (kinds.length === 0) return true
  const files = kinds.map((kind) => KINDS.get(kind))
  const engine = ['--engine', 'process', '--records', records, '--jobs', '4', '--brief']
  const played = await captureNode([MAIN, 'scenario', 'run', ...files, ...engine])
  console.log(played.output)
  return played.status === 0
}

function keep(kind, records) {
  const folder = pathOf(`incidents/${kind}`)
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(records, basename(KINDS.get(kind), '.yml')), join(folder, 'records'), {
    recursive: true,
  })
}

/** Whether an incident is told of the records. */
async function tell(kind) {
  const folder = pathOf(`incidents/${kind}`)
  const names = readdirSync(join(folder, 'records')).sort()
  const sentinels = names.map((name) => join(folder, 'records', name))
  const page = ['--html', join(folder, 'incident.html')]
  // The text is kept in a file, so it has no colours, wherever this runs.
  const env = { FORCE_COLOR: '0' }
  const told = await captureNode([MAIN, 'incident', ...page, ...sentinels], { env })
  console.log(`${kind}: ${told.output.split('\n')[0]}`)
  if (told.status === 0) writeFileSync(join(folder, 'incident.txt'), told.output)
  return told.status === 0
}
