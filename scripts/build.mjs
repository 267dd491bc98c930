/**
 * Compiles src to dist if something in src has changed, and makes the bundle of it. A stamp in dist holds the fingerprint of the
 * sources it was made from: path, size and modification time of every file, cheap enough for every
 * start.
 */
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { buildIdOf } from './build-id.mjs'
import { confirmBundle, makeBundle, writeBundle } from './bundle.mjs'
import { makeExportedTypes, writeExportedTypes } from './exported-types.mjs'
import { makeLibrary, writeLibrary } from './library.mjs'
import { pathOf } from './paths.mjs'
import { captureNode } from './spawn.mjs'

const STAMP = pathOf('dist/.vedette-sources')
/** What a browser gets as it stands. */
const ASSET = /\.(html|css|svg)$/
/** Node's programs, and then the page of an HTTP port, which knows a browser instead. */
const PROJECTS = ['tsconfig.json', 'tsconfig.dashboard.json']
/** Their text decides what dist looks like, too. */
const MAKERS = [
  'scripts/build-id.mjs',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/exported-types.mjs',
  'scripts/library.mjs',
]
/** The compiler, below the project's folder. */
export const TSC = 'node_modules/typescript/bin/tsc'

/** False if it does not compile; the errors have been shown. */
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
    // Somebody may have called the compiler; the sources are still those of the bundle.
    confirmBundle()
    return { isBuilt: true, output: '' }
  }
  removeOrphans(sources)
  const [bundled, { status, output }] = await Promise.all([tryBundle(), compile()])
  if (status !== 0) return { isBuilt: false, output }
  if (bundled.fault !== undefined) return { isBuilt: false, output: bundled.fault }
  for (const name of sources.filter((name) => ASSET.test(name))) {
    copyFileSync(join(pathOf('src'), name), join(pathOf('dist'), name))
  }
  writeExportedTypes(bundled.types)
  writeLibrary(bundled.library)
  writeFileSync(pathOf('dist/build-id'), `${buildIdOf(pathOf('src'))}\n`)
  // Behind the compiler: a bundle older than the modules is not used.
  writeBundle(bundled.bundle)
  writeFileSync(STAMP, fingerprint)
  return { isBuilt: true, output: '' }
}

/** One project after the other; ends with the first that does not compile. */
async function compile() {
  let result = { status: 0, output: '' }
  for (const project of PROJECTS) {
    if (result.status === 0) result = await captureNode([TSC, '-p', project])
  }
  return result
}

/** The sources may not even parse: then the compiler says it better, and nothing may be thrown before. */
async function tryBundle() {
  try {
    const bundle = await makeBundle()
    return { bundle, types: await makeExportedTypes(), library: await makeLibrary() }
  } catch (error) {
    return { fault: error.message }
  }
}

function listSources() {
  return readdirSync(pathOf('src'), { recursive: true })
    .map(String)
    .filter((name) => /\.(ts|cjs)$/.test(name) || ASSET.test(name))
    .sort()
}

function fingerprintOf(sources) {
  const hash = createHash('sha256')
  const settings = ['package-lock.json', ...MAKERS, ...PROJECTS].map((name) => `../${name}`)
  for (const name of [...settings, ...sources]) {
    const { size, mtimeMs } = statSync(join(pathOf('src'), name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/** Files compiled from a source that is gone must not be importable any more. */
function removeOrphans(sources) {
  const dist = pathOf('dist')
  if (!existsSync(dist)) return
  const expected = new Set(sources.map((name) => name.replace(/\.ts$/, '.js')))
  const isOrphan = (name) => name.endsWith('.js') && !expected.has(name)
  const names = readdirSync(dist, { recursive: true }).map(String)
  for (const name of names.filter(isOrphan)) rmSync(join(dist, name))
}
