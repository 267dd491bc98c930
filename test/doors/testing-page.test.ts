/**
 * docs/testing.md and examples/, as a stranger has them: the packed tarball in an empty project, each example of the
 * page in a file of its own as it is printed there, and each package of examples/ with its own tests.
 */
import {
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process'
import { on, once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { scratchFolder } from '../support/scratch.ts'

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))
const EXAMPLES = readdirSync(join(REPOSITORY, 'examples'))
const folder = scratchFolder('testing-page')
const page = join(folder, 'page')

beforeAll(() => {
  cpSync(join(REPOSITORY, 'examples'), folder, { recursive: true })
  mkdirSync(page)
  const [packed] = JSON.parse(npm(REPOSITORY, 'pack', '--json', '--pack-destination', folder))
  const workspaces = [...EXAMPLES, 'page']
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, workspaces }))
  writeFileSync(
    join(page, 'package.json'),
    '{ "type": "module", "dependencies": { "ioredis": "6.0.0" } }',
  )
  // One installation for all, which saves CI a minute; each package names what it needs.
  npm(
    folder,
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    join(folder, packed.filename),
  )
}, 180_000)

function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

const ENVIRONMENT = {
  ...process.env,
  NO_COLOR: '1',
  TMPDIR: folder,
  VITEST: undefined,
  VITEST_WORKER_ID: undefined,
}

function run(cwd: string, program: string, ...args: readonly string[]) {
  const env = ENVIRONMENT
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

/** Fails after half a minute. */
async function saying({ stdout }: ChildProcessWithoutNullStreams, what: RegExp): Promise<void> {
  const late = AbortSignal.timeout(30_000)
  let text = ''
  for await (const [chunk] of on(stdout, 'data', { signal: late })) {
    text += chunk
    if (what.test(text)) return
  }
}

const inModules = (name: string) => join(folder, 'node_modules', name)

describe('docs/testing.md', () => {
  const text = readFileSync(join(REPOSITORY, 'docs/testing.md'), 'utf8')
  const blocks = [...text.matchAll(/^```(ts|js)\n(.*?)^```/gms)].map(([, language, code = '']) => {
    return { language, code }
  })
  const write = (name: string, code: string) => writeFileSync(join(page, name), code)

  test('has examples of each kind', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(10)
  })

  test('its tests pass under vitest as they are printed', () => {
    const own = blocks.filter(({ language }) => language === 'ts')
    for (const [index, { code }] of own.entries()) write(`page-${index}.test.ts`, code)
    const vitest = inModules('vitest/vitest.mjs')
    const { status, text } = run(page, process.execPath, vitest, 'run', '--testTimeout', '30000')
    expect(status, text).toBe(0)
  })

  test('one cluster serves a whole run by globalSetup and inject', () => {
    const own = join(page, 'setup')
    mkdirSync(own, { recursive: true })
    write(
      'setup/vedette.setup.ts',
      `import { clusterSetup } from 'vedette/vitest'
      export default clusterSetup({ replicas: 0, sentinels: 1 })`,
    )
    write(
      'setup/vitest.config.js',
      `export default { test: { globalSetup: './vedette.setup.ts' } }`,
    )
    write(
      'setup/injected.test.ts',
      `import { Redis } from 'ioredis'
      import { expect, inject, test } from 'vitest'
      test('the cluster is there', async () => {
        const client = new Redis({ sentinels: inject('vedette').sentinels, name: 'mymaster' })
        expect(await client.set('key', 'value')).toBe('OK')
        client.disconnect()
      })`,
    )
    const { status, text } = run(own, process.execPath, inModules('vitest/vitest.mjs'), 'run')
    expect(status, text).toBe(0)
    expect(text).toContain('1 passed')
  })

  test.each([
    ['the test imports', "import './played.yml?raw'", ''],
    ['is a trigger', '', "forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/*.yml']"],
  ])(
    "a change of a scenario file that %s runs the test again in Vitest's watch mode",
    async (name, imported, option) => {
      const own = `watch ${name}`
      mkdirSync(join(page, own), { recursive: true })
      write(
        `${own}/vitest.config.mjs`,
        `import { configDefaults, defineConfig } from 'vitest/config'
      export default defineConfig({ test: { ${option} } })`,
      )
      write(`${own}/played.yml`, 'name: first')
      write(
        `${own}/played.test.js`,
        `${imported}
      import { readFileSync } from 'node:fs'
      import { test } from 'vitest'
      test('plays', () => console.log('played', readFileSync('played.yml', 'utf8')))`,
      )
      const vitest = spawn(process.execPath, [inModules('vitest/vitest.mjs'), '--watch'], {
        cwd: join(page, own),
        env: { ...ENVIRONMENT, CI: undefined },
      })
      try {
        await saying(vitest, /played name: first.*Waiting for file changes/s)
        const again = saying(vitest, /played name: second/)
        write(`${own}/played.yml`, 'name: second')
        await again
      } finally {
        vitest.kill()
        await once(vitest, 'close')
      }
    },
  )

  test('its test passes under Jest as it is printed', () => {
    const own = blocks.filter(({ code }) => code.includes('vedette/jest'))
    expect(own).toHaveLength(1)
    mkdirSync(join(page, 'jest'), { recursive: true })
    write('jest/package.json', '{ "jest": { "rootDir": "." } }')
    for (const { code } of own) write('jest/page.test.js', code)
    const { status, text } = run(
      join(page, 'jest'),
      process.execPath,
      inModules('jest/bin/jest.js'),
    )
    expect(status, text).toBe(0)
  })

  test('fake timers of Jest and of node:test do not touch a cluster', () => {
    const own = join(page, 'fake-timers')
    mkdirSync(own, { recursive: true })
    write('fake-timers/package.json', '{ "jest": { "rootDir": "." } }')
    write(
      'fake-timers/jest.test.js',
      `const { clusterTest } = require('vedette/jest')
      const test = clusterTest({ replicas: 1, downAfterMs: 100 })
      test('a switch', async ({ cluster }) => {
        jest.useFakeTimers()
        cluster.master.kill()
        await cluster.until.switched()
        await cluster.reset()
        jest.useRealTimers()
      })`,
    )
    write(
      'fake-timers/node.mjs',
      `import { test } from 'node:test'
      import { startCluster } from 'vedette/testing'
      test('a switch', async (t) => {
        const cluster = await startCluster({ replicas: 1, downAfterMs: 100 })
        t.after(() => cluster.stop())
        t.mock.timers.enable()
        cluster.master.kill()
        await cluster.until.switched()
        await cluster.reset()
        t.mock.timers.reset()
      })`,
    )
    const jest = run(own, process.execPath, inModules('jest/bin/jest.js'))
    expect(jest.status, jest.text).toBe(0)
    const node = run(own, process.execPath, 'node.mjs')
    expect(node.status, node.text).toBe(0)
  })

  test('a cluster lives where Jest fakes all timers from the beginning, or has those of a browser', () => {
    const own = join(page, 'strange-timers')
    mkdirSync(own, { recursive: true })
    write(
      'strange-timers/browser.cjs',
      `const { TestEnvironment } = require('jest-environment-node')
      module.exports = class extends TestEnvironment {
        async setup() {
          await super.setup()
          this.global.setImmediate = this.global.clearImmediate = undefined
        }
      }`,
    )
    write(
      'strange-timers/a.test.js',
      `const { clusterTest } = require('vedette/jest')
      const test = clusterTest({ replicas: 1, downAfterMs: 100 })
      test('a switch', async ({ cluster }) => {
        cluster.master.kill()
        await cluster.until.switched()
      })`,
    )
    const jest = { rootDir: '.' }
    for (const one of [
      { ...jest, fakeTimers: { enableGlobally: true } },
      { ...jest, fakeTimers: { enableGlobally: true, legacyFakeTimers: true } },
      { ...jest, testEnvironment: './browser.cjs' },
    ]) {
      write('strange-timers/package.json', JSON.stringify({ jest: one }))
      const argv = ['timeout', '60', process.execPath, inModules('jest/bin/jest.js')] as const
      const { status, text } = run(own, ...argv)
      expect(status, text).toBe(0)
    }
  })

  test('the timeline of a test that Jest gives up is printed, that of an expected failure is not', () => {
    const own = join(page, 'jest-late')
    mkdirSync(own, { recursive: true })
    write('jest-late/package.json', '{ "jest": { "rootDir": "." } }')
    write(
      'jest-late/late.test.js',
      `const { clusterTest } = require('vedette/jest')
      const test = clusterTest({ replicas: 0, sentinels: 1 })
      describe('orders', () => {
        test('for ever', async ({ cluster }) => {
          cluster.note('the test waits')
          await cluster.until.switched()
        }, 500)
      })
      test('at once', async ({ cluster }) => cluster.note('the next test'))`,
    )
    const { status, text } = run(own, process.execPath, inModules('jest/bin/jest.js'))
    expect(status, text).toBe(1)
    expect(text).toMatch(
      /timeline of the cluster of "late\.test\.js > orders for ever":\n.*\*\* the test waits\n.*\*\* waits for another master of mymaster than n1: s1 still tells clients n1/,
    )
    expect(text).not.toContain('the next test')
    write(
      'jest-late/expected.test.ts',
      `import { clusterTest } from 'vedette/vitest'
      const test = clusterTest({ replicas: 0, sentinels: 1 })
      test.fails('as expected', async ({ cluster }) => {
        cluster.note('an expected failure')
        throw new Error('it fails')
      })
      test.runIf(process.env.FAILS)('not as expected', async ({ cluster }) => {
        throw new Error('it fails')
      })`,
    )
    const vitest = run(own, process.execPath, inModules('vitest/vitest.mjs'), 'run', 'expected')
    expect(vitest.status, vitest.text).toBe(0)
    expect(vitest.text).not.toContain('an expected failure')
    const failing = run(
      own,
      'env',
      'FAILS=1',
      process.execPath,
      inModules('vitest/vitest.mjs'),
      'run',
      'expected',
    )
    expect(failing.text).toMatch(
      /timeline of the cluster of "expected\.test\.ts > not as expected":\n {2}nothing was done to the cluster/,
    )
  })

  test('a failing assertion ends the example with node:test', () => {
    const [own] = blocks.filter(({ code }) => code.includes("from 'node:test'"))
    const code = own?.code.replace("'+switch-master'", "'+no-such-event'") ?? ''
    expect(code).toContain('+no-such-event')
    write('failing.test.mjs', code)
    const { status, text } = run(
      page,
      'timeout',
      '60',
      process.execPath,
      '--test',
      'failing.test.mjs',
    )
    expect(status, text).toBe(1)
    expect(text).toContain('AssertionError')
  })

  test('its programs and its node:test run as they are printed', () => {
    const own = blocks.filter(
      ({ language, code }) => language === 'js' && !code.includes('vedette/jest'),
    )
    expect(own.length).toBeGreaterThanOrEqual(4)
    own.forEach(({ code }, index) => {
      write(`program-${index}.mjs`, code)
      const { status, text } = run(page, process.execPath, `program-${index}.mjs`)
      expect(status, `${code}\n${text}`).toBe(0)
    })
  })
})

describe('examples/', () => {
  test.each(EXAMPLES)('%s passes its tests from the installed tarball', (name) => {
    const { status, text } = run(join(folder, name), 'npm', 'test')
    expect(status, text).toBe(0)
  })

  test('orders loses some with the stock options of its client, and prints how', () => {
    const { status, text } = run(join(folder, 'orders'), 'npm', 'run', 'test:stock')
    expect(status, text).toBe(1)
    expect(text).toMatch(/ms {2}\*\* cut: n1 - n2 n3 s1 s2 s3/)
    expect(text).toMatch(/\+switch-master mymaster n1 n[23]/)
    expect(text).toMatch(/of them are lost: n1 acknowledged it while it was cut off/)
  })
})
