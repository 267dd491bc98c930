/**
 * Makes docs/incidents: scenarios on real processes, the records of their Sentinels, and what `vedette incident`
 * tells of them as text and as a page. Needs root and network namespaces, as the process engine does.
 *
 *   npm run incidents [-- --only kill,cut]
 *
 * Exit status 1: a scenario did not pass, or no incident is told of it; 2: an option makes no sense.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { scriptOptions } from './options.mjs'
import { pathOf } from './paths.mjs'
import { captureNode } from './spawn.mjs'

/** The scenario of each kind. */
const KINDS = new Map([
  ['kill', '01-master-killed'],
  ['stop', '17-hung-master-thaws'],
  ['cut', '09-isolated-master-without-min-replicas'],
  ['gray', '76-gray-master'],
  ['empty-master', '16-master-restarted-empty'],
  ['split-vote', '19-two-candidates-at-once'],
  ['handover-gone-wrong', '38-planned-handover-goes-wrong'],
])
const MAIN = pathOf('dist/launch/vedette.cjs')

const { only } = scriptOptions(import.meta.url, { only: { type: 'string' } })
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
    const files = kinds.map((kind) => `scenarios/${KINDS.get(kind)}.yml`)
    const engine = ['--engine', 'process', '--records', join(scratch, 'records'), '--brief']
    const played = await captureNode([MAIN, 'scenario', 'run', ...files, ...engine])
    console.log(played.output)
    if (played.status !== 0) return 1
    const made = []
    for (const kind of kinds) made.push(await make(kind, join(scratch, 'records')))
    return made.includes(false) ? 1 : 0
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/** Whether an incident is told of the records. */
async function make(kind, records) {
  const folder = pathOf(`docs/incidents/${kind}`)
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(records, KINDS.get(kind)), join(folder, 'records'), { recursive: true })
  const sentinels = ['s1', 's2', 's3'].map((name) => join(folder, 'records', name))
  const page = ['--html', join(folder, 'incident.html')]
  const told = await captureNode([MAIN, 'incident', ...page, ...sentinels])
  console.log(`${kind}: ${told.output.split('\n')[0]}`)
  if (told.status === 0) writeFileSync(join(folder, 'incident.txt'), told.output)
  return told.status === 0
}
