/**
 * The fast tests on compiled code, so that the seeds and the tests judge the same change: a test that imports
 * a source gets what it was compiled to, loaded by Node itself through hook.mjs. VEDETTE_TESTS is a list of
 * test files, in the order in which they are to run.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const HOOK = new URL('./hook.mjs', import.meta.url).href
const tests = JSON.parse(process.env.VEDETTE_TESTS)

class InGivenOrder {
  shard(files) {
    return files
  }
  sort(files) {
    const place = ({ moduleId }) => tests.indexOf(moduleId.slice(ROOT.length))
    return [...files].sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  root: ROOT,
  plugins: [
    {
      name: 'compiled',
      enforce: 'pre',
      resolveId(id, importer) {
        if (!id.startsWith('.') || !id.endsWith('.ts') || importer === undefined) return undefined
        const path = fileURLToPath(new URL(id, `file://${importer}`))
        if (!path.startsWith(`${ROOT}src/`)) return undefined
        const name = path.slice(`${ROOT}src/`.length).replace(/\.ts$/, '.js')
        return { id: `${ROOT}dist/${name}`, external: true }
      },
    },
  ],
  test: {
    include: tests,
    globalSetup: './test/support/run-folder.ts',
    setupFiles: ['./test/support/setup.ts', './test/mutation/unit-setup.mjs'],
    reporters: ['./test/mutation/unit-reporter.mjs'],
    pool: 'forks',
    isolate: false,
    // A recording goes on: it wants all of them.
    bail: process.env.VEDETTE_PLACES ? 0 : 1,
    maxWorkers: 1,
    execArgv: ['--import', HOOK],
    server: { deps: { external: [/\/dist\//] } },
    sequence: { sequencer: InGivenOrder },
    env: { NO_COLOR: '1' },
    // Counting blocks makes some tests many times slower.
    testTimeout: process.env.VEDETTE_PLACES ? 600_000 : 30_000,
  },
})
