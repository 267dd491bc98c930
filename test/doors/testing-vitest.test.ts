/** `vedette/vitest` beside other versions of Vitest than ours. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test as base, describe, expect, test, vi } from 'vitest'
import { clusterTest } from '../../src/exports/vitest.ts'
import { scratchFolder } from '../support/scratch.ts'

/** What Vitest before 3.2 takes for options of a fixture; anything else makes the pair a value. */
const OLD_OPTIONS = ['auto', 'injected']

test('a Vitest that knows no scopes takes the shared cluster for a fixture', () => {
  const extend = vi.spyOn(base, 'extend')
  clusterTest()
  const [fixtures] = extend.mock.calls[0] as unknown as [{ sharedCluster: [unknown, object] }]
  extend.mockRestore()
  const [, options] = fixtures.sharedCluster
  expect(Object.keys(options).filter((name) => OLD_OPTIONS.includes(name))).not.toEqual([])
})

test('a globalSetup starts a cluster where Vitest itself cannot be imported', () => {
  const folder = scratchFolder('testing-vitest')
  const own = join(folder, 'node_modules/vitest')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'package.json'), '{ "type": "module", "exports": "./index.js" }')
  writeFileSync(join(own, 'index.js'), 'throw new Error("imported in the main process")')
  cpSync('dist/library', join(folder, 'library'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const code = `
    import { clusterSetup, clusterTest } from './library/vitest.js'
    const setUp = clusterSetup({ replicas: 0, sentinels: 1 })
    const end = await setUp({ provide: (key, { groups }) => console.log(key, ...groups) })
    await end()
    try { clusterTest() } catch ({ message }) { console.log(message) }`
  const argv = ['--input-type=module', '--eval', code]
  const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' })
  expect(stdout, stderr).toBe('vedette mymaster\nimported in the main process\n')
})

test('a test that uses up its time tells its groups and what it waited for', () => {
  const folder = scratchFolder('testing-time-up')
  cpSync('dist/library', join(folder, 'library'), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const code = `
    import { describe } from 'vitest'
    import { clusterTest } from './library/vitest.js'
    const test = clusterTest({ replicas: 0, sentinels: 1, scope: 'SCOPE' })
    describe('orders', () => {
      describe('paid', () => {
        test('switches', { timeout: 500 }, async ({ cluster }) => void (await cluster.until.switched()))
      })
    })`
  for (const scope of ['file', 'test'])
    writeFileSync(join(folder, `${scope}.test.js`), code.replace('SCOPE', scope))
  const argv = [resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', folder]
  const { stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' })
  for (const scope of ['file', 'test'])
    expect(stderr).toContain(
      `timeline of the cluster of "${scope}.test.js > orders > paid > switches":`,
    )
  const waits = /\*\* waits for another master of mymaster than n1: s1 still tells clients n1/g
  expect(stderr.match(waits), stderr).toHaveLength(2)
})

const shared = clusterTest({ replicas: 0, sentinels: 1, seed: 'concurrent' })

describe.concurrent('tests that run at the same time', () => {
  shared('the first one has the cluster of the file for itself', ({ cluster }) => {
    expect(cluster.master.status).toBe('running')
  })
  shared.fails('the second one is refused, and does not reset it', ({ cluster }) => {
    cluster.master.kill()
  })
})
