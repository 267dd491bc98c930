/**
 * Installs exactly what package-lock.json says, once. A stamp inside node_modules records for which
 * lock file: by its content and not its date, because a checkout changes dates.
 */
import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { pathOf } from './paths.mjs'
import { run, runNode } from './spawn.mjs'

const LOCK = pathOf('package-lock.json')
const STAMP = pathOf('node_modules/.vedette-lock')

/** False if the installation failed; npm has said why. */
export async function ensureInstalled() {
  const wanted = createHash('sha256').update(readFileSync(LOCK)).digest('hex')
  if (readStamp() === wanted) return true
  if (!isInstalledByHand() && !(await install())) return false
  writeFileSync(STAMP, wanted)
  return true
}

async function install() {
  console.error('installing dependencies …')
  if ((await npm(['ci', '--loglevel=silent'])) === 0) return true
  // A lock file written where a registry lacks the packages of other platforms is incomplete for
  // `npm ci`. Installing without saving takes every version that the lock file does have.
  return (await npm(['install', '--no-save', '--loglevel=error'])) === 0
}

function readStamp() {
  return statSync(STAMP, { throwIfNoEntry: false }) && readFileSync(STAMP, 'utf8')
}

/** The user has run npm: npm's own record is not older than the lock file. */
function isInstalledByHand() {
  const record = statSync(pathOf('node_modules/.package-lock.json'), { throwIfNoEntry: false })
  const hasStamp = statSync(STAMP, { throwIfNoEntry: false }) !== undefined
  return record !== undefined && !hasStamp && record.mtimeMs >= statSync(LOCK).mtimeMs
}

function npm(command) {
  const args = [...command, '--no-audit', '--no-fund']
  const program = process.env.npm_execpath
  if (program?.endsWith('.js')) return runNode([program, ...args])
  // On Windows npm is a script that only a shell can start.
  return run('npm', args, { shell: process.platform === 'win32' })
}
