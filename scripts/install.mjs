/**
 * Installs exactly what package-lock.json says, once. A stamp inside node_modules remembers for which
 * lock file: its content decides and not its date, because a checkout changes dates.
 */
import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { pathOf } from './paths.mjs'
import { run, runNode } from './spawn.mjs'

const LOCK = pathOf('package-lock.json')
const STAMP = pathOf('node_modules/.vedette-lock')

/** False when the installation failed; npm has said why. */
export async function ensureInstalled() {
  const wanted = createHash('sha256').update(readFileSync(LOCK)).digest('hex')
  if (readStamp() === wanted) return true
  if (!isInstalledByHand() && (await npmCi()) !== 0) return false
  writeFileSync(STAMP, wanted)
  return true
}

function readStamp() {
  return statSync(STAMP, { throwIfNoEntry: false }) && readFileSync(STAMP, 'utf8')
}

/** Somebody ran npm already: its own record is not older than the lock file. */
function isInstalledByHand() {
  const record = statSync(pathOf('node_modules/.package-lock.json'), { throwIfNoEntry: false })
  const hasStamp = statSync(STAMP, { throwIfNoEntry: false }) !== undefined
  return record !== undefined && !hasStamp && record.mtimeMs >= statSync(LOCK).mtimeMs
}

function npmCi() {
  console.error('installing dependencies (npm ci) …')
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  if (npm?.endsWith('.js')) return runNode([npm, ...args])
  // On Windows npm is a script that only a shell can start.
  return run('npm', args, { shell: process.platform === 'win32' })
}
