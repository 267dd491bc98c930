/**
 * Compiles src to dist when something in src has changed. A stamp in dist holds the fingerprint of the
 * sources it was made from: path, size and time of change of every file, cheap enough for every start.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathOf } from './paths.mjs'
import { captureNode } from './spawn.mjs'

const STAMP = pathOf('dist/.vedette-sources')
const TSC = 'node_modules/typescript/bin/tsc'

/** False when it does not compile; the errors have been shown. */
export async function ensureBuilt() {
  const { isBuilt, output } = await build()
  if (!isBuilt) console.error(output)
  return isBuilt
}

/** Builds if needed. `output` is the compiler's. */
export async function build() {
  const sources = listSources()
  const fingerprint = fingerprintOf(sources)
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint) {
    return { isBuilt: true, output: '' }
  }
  removeOrphans(sources)
  const { status, output } = await captureNode([TSC, '-p', 'tsconfig.json'])
  if (status === 0) writeFileSync(STAMP, fingerprint)
  return { isBuilt: status === 0, output }
}

function listSources() {
  return readdirSync(pathOf('src'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .sort()
}

function fingerprintOf(sources) {
  const hash = createHash('sha256')
  for (const name of ['../package-lock.json', '../tsconfig.json', ...sources]) {
    const { size, mtimeMs } = statSync(join(pathOf('src'), name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/** What was compiled from a source that is gone must not be found by an import any more. */
function removeOrphans(sources) {
  const dist = pathOf('dist')
  if (!existsSync(dist)) return
  const expected = new Set(sources.map((name) => name.replace(/\.ts$/, '.js')))
  const isOrphan = (name) => name.endsWith('.js') && !expected.has(name)
  const names = readdirSync(dist, { recursive: true }).map(String)
  for (const name of names.filter(isOrphan)) rmSync(join(dist, name))
}
