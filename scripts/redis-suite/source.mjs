/**
 * The tests that Redis ships, in folders where our programs stand in place of its own. They are part of the source
 * package of the distribution and of no binary one; nothing of them is in this project.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Lacking } from '../apt.mjs'
import { pathOf } from '../paths.mjs'
import { downloadedArchive } from './download.mjs'

/** What its tests call beside the servers. */
const TOOLS = ['cli', 'benchmark', 'check-aof', 'check-rdb'].map((tool) => `redis-${tool}`)
/** Of its source, what the tests read. */
const PARTS = ['tests', 'utils', 'runtest', 'runtest-sentinel', 'redis.conf', 'sentinel.conf']

/** Who stands in place of redis-server and redis-sentinel. */
const SIDES = {
  ours: { server: 'vedette-server', sentinel: 'vedette-sentinel' },
  oursOverRedis: { server: undefined, sentinel: 'vedette-sentinel' },
  redis: { server: undefined, sentinel: undefined },
}

/** The folder of the source: the given one, or that of an archive or package. Throws an Error that says what to do. */
export function sourceFolder(given) {
  if (given === undefined) return unpacked(downloadedArchive(temporary('download')))
  if (!existsSync(given)) throw new Error(`--source ${given}: there is nothing`)
  return statSync(given).isDirectory() ? checked(resolve(given)) : unpacked(resolve(given))
}

function checked(folder) {
  if (existsSync(join(folder, 'tests/test_helper.tcl'))) return folder
  throw new Error(`${folder} is not the source of Redis: it has no tests/test_helper.tcl`)
}

function unpacked(archive) {
  const folder = temporary('source')
  execFileSync('tar', ['xf', archive, '-C', folder])
  const [first = ''] = readdirSync(folder)
  return checked(join(folder, first))
}

/** As its own header says; undefined if that is not there. */
export function versionOf(source) {
  const path = join(source, 'src/version.h')
  if (!existsSync(path)) return undefined
  return /REDIS_VERSION "([^"]+)"/.exec(readFileSync(path, 'utf8'))?.[1]
}

/** The units that its test program runs, in its order. */
export function unitsOf(source) {
  const text = readFileSync(join(source, 'tests/test_helper.tcl'), 'utf8')
  const [, list = ''] = /set ::all_tests \{([^}]*)\}/.exec(text) ?? []
  return list.trim().split(/\s+/)
}

/** A copy of the tests, since each run empties their temporary folder. */
export function placeFolder(source, side) {
  const folder = temporary('place')
  // What another run has left may be sockets.
  const filter = (path) => !path.includes('/tmp/', source.length)
  for (const part of PARTS) {
    cpSync(join(source, part), join(folder, part), { recursive: true, filter })
  }
  if (SIDES[side].server !== undefined) addSettings(join(folder, 'tests/assets/default.conf'))
  goOnAfterFailures(join(folder, 'tests/instances.tcl'))
  mkdirSync(join(folder, 'tests/tmp'), { recursive: true })
  mkdirSync(join(folder, 'tests/sentinel/tmp'), { recursive: true })
  mkdirSync(join(folder, 'src'))
  installed('tclsh')
  for (const tool of TOOLS) symlinkSync(installed(tool), join(folder, 'src', tool))
  for (const role of ['server', 'sentinel']) placeProgram(folder, role, SIDES[side][role])
  return folder
}

/** Where our defaults close connections, or refuse the copy of an empty master, the tests go on with what they have. */
const SETTINGS = [
  'demotion-closes-clients no',
  'fenced-closes-clients no',
  'replica-empty-master-guard no',
]

function addSettings(path) {
  writeFileSync(path, [readFileSync(path, 'utf8'), ...SETTINGS, ''].join('\n'))
}

/** A failed test of Sentinel's would end its file, and hide the tests behind it. */
function goOnAfterFailures(path) {
  const text = readFileSync(path, 'utf8')
  const changed = text.replace(/^ *return -code continue$/m, '')
  if (changed === text) throw new Error(`${path} is not as in Redis 7.0: nothing ends its file`)
  writeFileSync(path, changed)
}

function placeProgram(folder, role, ours) {
  const place = join(folder, 'src', `redis-${role}`)
  if (ours === undefined) return symlinkSync(installed(`redis-${role}`), place)
  const program = pathOf(`dist/launch/${ours}.cjs`)
  const preload = role === 'server' ? `--require '${PRELOAD}' ` : ''
  writeFileSync(place, `#!/bin/sh\nexec '${process.execPath}' ${preload}'${program}' "$@"\n`)
  chmodSync(place, 0o755)
}

const PRELOAD = pathOf('scripts/redis-suite/preload.cjs')

function installed(tool) {
  try {
    return execFileSync('which', [tool], { encoding: 'utf8' }).trim()
  } catch {
    throw new Lacking(
      `${tool} is not installed: apt-get install tcl redis-tools redis-server redis-sentinel`,
    )
  }
}

const folders = []

function temporary(name) {
  const folder = mkdtempSync(join(tmpdir(), `vedette-suite-${name}-`))
  folders.push(folder)
  return folder
}

/** All folders that were made. */
export function temporaryFolders() {
  return folders
}
