/**
 * The tasks behind `npm start`, `npm test`, `npm run build` and `npm run check`. Each first does what
 * is missing, and only that: a fresh clone installs and builds, a second run starts at once. Plain
 * Node without dependencies, because nothing is installed yet when this runs for the first time.
 */
import { existsSync } from 'node:fs'
import { ensureBuilt, TSC } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { endWithParents } from './parents.mjs'
import { pathOf } from './paths.mjs'
import { runChecks } from './verify.mjs'

const TASKS = {
  async build() {
    return (await ensureBuilt()) ? 0 : 1
  },

  /**
   * npm runs this after an installation here and before it packs, so a tarball and an install from git have `dist`. It is
   * called by `preprepare` and `prepack`, since npm 11 warns the users of a tarball of a script named `prepare`.
   */
  prepare() {
    if (existsSync(pathOf(TSC))) return TASKS.build()
    console.error('prepare: nothing is built, since the development dependencies are not installed')
    return 0
  },

  /** Types, style and the fast tests: what to run before every commit. */
  check: () => runChecks(['--project', 'fast']),

  test(args) {
    const projects = ['fast', 'net', 'alone'].flatMap((name) => ['--project', name])
    return runChecks([...projects, ...args])
  },

  /** The demonstration cluster, in this process: its signals and its terminal are ours. */
  async start(args) {
    if (!(await ensureBuilt())) return 1
    endWithParents()
    const main = pathOf('dist/launch/vedette.cjs')
    process.argv = [process.execPath, main, 'up', ...args]
    await import(main)
    return undefined
  },
}

const [name = '', ...args] = process.argv.slice(2)
const task = TASKS[name]
if (task === undefined) {
  console.error(`usage: node scripts/task.mjs ${Object.keys(TASKS).join('|')} [argument …]`)
  process.exitCode = 2
} else {
  // npm is installing already when it asks for `prepare`.
  const status = name === 'prepare' || (await ensureInstalled()) ? await task(args) : 1
  if (status !== undefined) process.exitCode = status
}
