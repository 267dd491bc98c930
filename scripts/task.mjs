/**
 * The tasks behind `npm start`, `npm test`, `npm run build` and `npm run check`. Each does first what
 * is missing, and only that: a fresh clone installs and builds, a second run starts at once.
 * Plain Node and no dependencies, because nothing is installed yet when this runs for the first time.
 */
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { endWithParents } from './parents.mjs'
import { pathOf } from './paths.mjs'
import { runChecks } from './verify.mjs'

const TASKS = {
  async build() {
    return (await ensureBuilt()) ? 0 : 1
  },

  /** Types, style and the fast tests: what to run before every commit. */
  check: () => runChecks(['--project', 'fast']),

  test(args) {
    const projects = ['fast', 'net', 'alone'].flatMap((name) => ['--project', name])
    return runChecks([...projects, ...args])
  },

  /** The demonstration cluster, in this very process: its signals and its terminal are ours. */
  async start(args) {
    if (!(await ensureBuilt())) return 1
    endWithParents()
    const main = pathOf('dist/cli/main.js')
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
  const status = (await ensureInstalled()) ? await task(args) : 1
  if (status !== undefined) process.exitCode = status
}
