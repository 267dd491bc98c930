/** The package as a user gets it: packed, installed into an empty folder, and started from there. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePorts, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))
const folder = scratchFolder('install')
const empty = join(folder, 'empty')
const VEDETTE = join(empty, 'node_modules/.bin/vedette')
const INSTALLED = join(empty, 'node_modules/vedette')
let tarball = ''

beforeAll(() => {
  mkdirSync(empty)
  const [packed] = JSON.parse(npm(REPOSITORY, 'pack', '--json', '--pack-destination', folder))
  tarball = join(folder, packed.filename)
  // Without it npm looks for a project in the folders above.
  writeFileSync(join(empty, 'package.json'), '{}')
  npm(empty, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball)
}, 180_000)

function npm(cwd: string, ...args: readonly string[]): string {
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: [...stdio], shell: false })
}

test('an installed tarball brings up a cluster that fails over', async () => {
  const [port = 0, sentinelPort = 0] = await portsForUp()
  const up = spawn(VEDETTE, ['up', '--port', `${port}`, '--dir', join(empty, 'cluster')], {
    cwd: empty,
    stdio: 'ignore',
  })
  const sentinel = new Redis({ port: sentinelPort, lazyConnect: true, retryStrategy: () => 100 })
  sentinel.on('error', () => undefined)
  onTestFinished(async () => {
    sentinel.disconnect()
    up.kill('SIGINT')
    await until('vedette up ends', 10_000, () => up.exitCode !== null)
  })
  const masterPort = async () => {
    const answer = await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')
    return Number((answer as string[])[1])
  }
  await until('the Sentinels know the master', 20_000, async () => (await masterPort()) === port)
  const status = () => execFileSync(VEDETTE, ['status', '--sentinel', `127.0.0.1:${sentinelPort}`])
  await until('all is well', 20_000, () => status().length > 0)
  execFileSync(VEDETTE, [
    'failover',
    'mymaster',
    '--wait',
    '--sentinel',
    `127.0.0.1:${sentinelPort}`,
  ])
  expect(await masterPort()).not.toBe(port)
})

/** `up` takes a row of ports from the first one on, and a hundred behind it for the Sentinels. */
async function portsForUp(): Promise<readonly number[]> {
  const [port = 0] = await freePorts(1)
  return [port, port + 100]
}

test('the programs for service units answer from an installed tarball', () => {
  for (const program of ['vedette-sentinel', 'vedette-server']) {
    const path = join(empty, 'node_modules/.bin', program)
    expect(execFileSync(path, ['--version'], { encoding: 'utf8' })).toMatch(/\d+\.\d+\.\d+/)
  }
})

test('nothing runs during the installation, and npm has nothing to warn of', () => {
  const { scripts } = JSON.parse(readFileSync(join(INSTALLED, 'package.json'), 'utf8'))
  const run = ['preinstall', 'install', 'postinstall', 'prepare']
  expect(Object.keys(scripts).filter((name) => run.includes(name))).toEqual([])
  const again = mkdtempSync(join(folder, 'again-'))
  writeFileSync(join(again, 'package.json'), '{}')
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball]
  const { stdout, stderr } = spawnSync('npm', args, { cwd: again, encoding: 'utf8' })
  expect(stdout).toMatch(/^\s*added \d+ packages in [^\n]*\n$/)
  expect(stderr).toBe('')
}, 60_000)

test('an installed program starts from the bundle, and keeps its compiled code beside it', () => {
  rmSync(join(INSTALLED, 'dist/bundle/code-cache'), { recursive: true, force: true })
  execFileSync(VEDETTE, ['--version'])
  expect(readdirSync(join(INSTALLED, 'dist/bundle/code-cache'))).toHaveLength(1)
  expect(existsSync(join(INSTALLED, 'dist/.tsbuildinfo'))).toBe(false)
})

test('worker threads find their modules from the bundle', () => {
  const text = execFileSync(VEDETTE, ['fuzz', '--seeds', '1..2', '--jobs', '2'], { cwd: empty })
  expect(text.toString()).toMatch(/2 seeds|nothing failed|0 failed/i)
})

describe('what package.json exports', () => {
  /** Runs a module in the folder into which the package was installed. */
  function runModule(text: string) {
    const path = join(empty, 'use.mjs')
    writeFileSync(path, text)
    return spawnSync(process.execPath, [path], { cwd: empty, encoding: 'utf8' })
  }

  test('vedette/scenario plays a scenario and says what came of it', () => {
    const path = join(INSTALLED, 'scenarios/01-master-killed.yml')
    const { stdout, stderr } = runModule(`
      import { readFileSync } from 'node:fs'
      import { runScenario } from 'vedette/scenario'
      const text = readFileSync(${JSON.stringify(path)}, 'utf8')
      const { ok, result, report } = await runScenario(text, { file: '01.yml', seed: '7' })
      const again = await runScenario(text, { file: '01.yml', seed: '7' })
      const wrong = await runScenario('name: 5', { file: 'wrong.yml' })
      console.log(JSON.stringify({ ok, verdict: result.verdict, failovers: result.facts.groups[0].failovers }))
      console.log(report === again.report, wrong.ok, wrong.problems[0].file)`)
    expect(stderr).toBe('')
    expect(stdout).toBe('{"ok":true,"verdict":"passed","failovers":1}\ntrue false wrong.yml\n')
  })

  test('vedette/scenario plays on real sockets as well, and among fake timers', () => {
    const { stdout, stderr } = runModule(`
      import { runScenario } from 'vedette/scenario'
      // As fake timers of a test do, after the import: nothing ever rings.
      globalThis.setTimeout = () => ({})
      const text = JSON.stringify({
        name: 'a quiet second', story: 'Nothing happens.',
        topology: {
          groups: { mymaster: { master: 'n1', quorum: 1 } },
          nodes: { n1: { host: 'a' } }, sentinels: { s1: { host: 'a' } },
        },
        timeline: [], expect: [{ 'one-master': true, within: '1s' }],
      })
      const run = await runScenario(text, { engine: 'tcp', graceMs: 3000 })
      console.log(run.ok && run.result.verdict)
      await runScenario(text, { engine: 'docker' }).catch(({ message }) => console.log(message))`)
    expect(stderr).toBe('')
    expect(stdout).toBe("passed\nengine: one of sim, tcp, not 'docker'\n")
  })

  test('vedette/resp encodes and decodes', () => {
    const { stdout } = runModule(`
      import { encodeCommand, encodeReply, ReplyDecoder, RequestDecoder } from 'vedette/resp'
      const requests = new RequestDecoder()
      requests.push(encodeCommand(['GET', 'key']))
      const replies = new ReplyDecoder()
      replies.push(encodeReply({ kind: 'integer', value: 3 }, 3))
      console.log(JSON.stringify([requests.next(), replies.next()]))`)
    const request = { kind: 'command', argv: ['GET', 'key'] }
    expect(JSON.parse(stdout)).toEqual([request, { kind: 'integer', value: 3 }])
  })

  test('vedette/testing brings up a cluster that fails over', () => {
    const { stdout, stderr } = runModule(`
      import { startCluster, startServer } from 'vedette/testing'
      const cluster = await startCluster({ replicas: 1, downAfterMs: 100 })
      const { master } = cluster
      master.kill()
      const next = await cluster.until.switched()
      console.log(master.name, next.name, cluster.history.some(({ name }) => name === '+switch-master'))
      await cluster.stop()
      const server = await startServer()
      console.log(server.port > 0)
      await server.stop()`)
    expect(stderr).toBe('')
    expect(stdout).toBe('n1 n2 true\ntrue\n')
  })

  test.each(['es', 'cjs'] as const)(
    'vedette/testing works in a bundle (%s), and says what process-lite needs',
    async (format) => {
      const entry = join(empty, 'to-bundle.mjs')
      writeFileSync(
        entry,
        `import { startCluster } from 'vedette/testing'
        async function use() {
          const cluster = await startCluster({ replicas: 1, downAfterMs: 100 })
          cluster.master.kill()
          console.log((await cluster.until.switched()).name)
          await cluster.stop()
          await startCluster({ engine: 'process-lite' }).catch(({ message }) => console.log(message))
        }
        void use()`,
      )
      const bundled = await rolldown({ input: entry, platform: 'node', onLog: () => undefined })
      const file = join(folder, `bundled-${format}`, format === 'es' ? 'use.mjs' : 'use.cjs')
      const { output } = await bundled.generate({ format, codeSplitting: false })
      mkdirSync(dirname(file))
      writeFileSync(file, output[0].code)
      const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
      expect(stderr).toBe('')
      expect(stdout).toMatch(/^n2\nengine: 'process-lite' .* leave vedette out of the bundle/)
    },
  )

  test('vedette/simulate counts what a configuration costs, and names its mistakes', () => {
    const { stdout, stderr } = runModule(`
      import { simulate } from 'vedette/simulate'
      const group = (quorum) => 'groups: { mymaster: { master: 10.0.0.1:6379, quorum: ' + quorum + ' } }'
      const found = await simulate(group(2), { seeds: 3 })
      const wrong = await simulate(group('two'), { file: 'wrong.yml' })
      console.log(found.ok, found.histories.length, found.report.length > 100)
      console.log(wrong.ok, wrong.problems[0].file, wrong.problems[0].path)
      await simulate(group(2), { directives: { maxmemry: '1' } }).catch(({ message }) => console.log(message))`)
    expect(stderr).toBe('')
    expect(stdout).toBe(
      'true 3 true\nfalse wrong.yml groups.mymaster.quorum\ndirectives: maxmemry 1: there is no such directive; did you mean maxmemory?\n',
    )
  })

  test('what is exported can be required, but for vitest', () => {
    const path = join(empty, 'use.cjs')
    writeFileSync(
      path,
      `for (const name of ['jest', 'resp', 'scenario', 'simulate', 'testing']) {
        console.log(name, Object.keys(require('vedette/' + name)).sort().join(' '))
      }`,
    )
    const { stdout } = spawnSync(process.execPath, [path], { cwd: empty, encoding: 'utf8' })
    expect(stdout.split('\n')).toEqual([
      'jest clusterTest',
      'resp ReplyDecoder RequestDecoder encodeCommand encodeReply',
      'scenario runScenario',
      'simulate simulate',
      'testing NotInTime startCluster startSentinel startServer',
      '',
    ])
  })

  test('is all there is: other modules are ours', () => {
    for (const name of [
      'vedette/dist/resp/encode.js',
      'vedette/dist/launch/launch.cjs',
      'vedette',
    ]) {
      expect(runModule(`import '${name}'`).stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
    }
    const manifest = `import data from 'vedette/package.json' with { type: 'json' }; console.log(data.name)`
    expect(runModule(manifest).stdout).toBe('vedette\n')
  })

  test.each([
    ['node16', 'mts'],
    ['node16', 'cts'],
    ['bundler', 'mts'],
  ])('has types that resolve under %s from a .%s', (resolution, kind) => {
    writeFileSync(
      join(empty, `use.${kind}`),
      `import { clusterTest } from 'vedette/jest'
      import { type Reply, ReplyDecoder } from 'vedette/resp'
      import { type PlayedScenario, runScenario, type ScenarioRun } from 'vedette/scenario'
      import { simulate, type Simulation } from 'vedette/simulate'
      import { type Cluster, type MissingWrite, NotInTime, startCluster, startServer } from 'vedette/testing'
      async function use() {
        const run: ScenarioRun = await runScenario('', { seed: '1' })
        const result: PlayedScenario | undefined = run.ok ? run.result : undefined
        const found: Simulation = await simulate('', { seeds: 2, profile: 'wan' })
        const cluster: Cluster = await startCluster({ replicas: 1, clock: 'manual' })
        const lost: readonly MissingWrite[] = await cluster.writes().lost()
        const port: number = (await startServer()).port + cluster.master.port
        for await (const { name } of cluster.events) name.startsWith('+')
        // @ts-expect-error a seed is a text: an unresolved type would be any, and take it
        runScenario('', { seed: 1 })
        // @ts-expect-error there is no such option
        startCluster({ replica: 1 })
        clusterTest({ replicas: 1 })('name', ({ cluster: mine }) => mine.master.kill())
        return [result, found, lost, port, new NotInTime('', 1, []).missing]
      }
      const reply: Reply | { kind: 'malformed'; text: string } | undefined = new ReplyDecoder().next()
      export { reply, use }`,
    )
    const module = resolution === 'bundler' ? 'esnext' : 'node16'
    const options = ['--module', module, '--moduleResolution', resolution, '--target', 'es2023']
    const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc')
    const strict = ['--strict', '--noEmit', '--types', '', '--ignoreConfig']
    const args = [tsc, ...options, ...strict, `use.${kind}`]
    const { stdout } = spawnSync(process.execPath, args, { cwd: empty, encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  test('passes publint and arethetypeswrong', async () => {
    const { messages, pkg } = await publint({ pkgDir: INSTALLED, pack: false, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([])
    const attw = join(REPOSITORY, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    const look = (...how: readonly string[]) => {
      const args = [attw, tarball, ...how, '--no-color', '--no-emoji']
      const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      expect(status, stdout).toBe(0)
      return stdout
    }
    // Vitest itself is for ES modules alone.
    const stdout =
      look('--profile', 'node16', '--exclude-entrypoints', 'vitest') +
      look('--profile', 'esm-only', '--entrypoints', 'vitest')
    const { exports } = JSON.parse(readFileSync(join(INSTALLED, 'package.json'), 'utf8'))
    for (const door of Object.keys(exports)) expect(stdout).toContain(`vedette${door.slice(1)}`)
  })
})
