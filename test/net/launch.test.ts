/**
 * What the launcher starts, and what it keeps. Most of it is tried on a folder like dist whose programs only
 * say where they come from.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { scratchFolder } from '../support/scratch.ts'

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))
const ID = '0123456789abcdef'

let folder = ''
let dist = ''
beforeEach(() => {
  folder = scratchFolder('launch')
  dist = join(folder, 'dist')
  mkdirSync(join(dist, 'bundle'), { recursive: true })
  cpSync(join(DIST, 'launch'), join(dist, 'launch'), { recursive: true })
  writeFileSync(join(dist, 'launch/programs.js'), `export const PROGRAMS = ${programs('modules')}`)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeBundle()
})

function programs(word: string): string {
  const say = `() => { console.log('${word}'); if (process.argv[2] === 'crash') throw new Error('oh') }`
  return `{ vedette: ${say}, 'vedette-sentinel': ${say} }`
}

function writeBundle(id = ID, word = 'bundle'): void {
  writeProgram(programs(word), id)
}

function writeProgram(programs: string, id = ID): void {
  const hooks = 'exports.onceStarted = (work) => {}; exports.withoutOwnFlags = (work) => work()'
  const text = `/* ${id} */(function (exports, require) {\n${hooks}\nexports.PROGRAMS = ${programs}\n})\n`
  writeFileSync(join(dist, 'bundle/vedette.cjs'), text)
}

function run(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): string {
  const path = join(dist, 'launch/vedette.cjs')
  return execFileSync(process.execPath, [path, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

function kept(at = join(dist, 'bundle/code-cache')): readonly string[] {
  return existsSync(at) ? readdirSync(at) : []
}

describe('the bundle', () => {
  test('is what a program starts from', () => {
    expect(run()).toBe('bundle')
  })

  test('is left alone when the modules have been compiled since', () => {
    const info = join(dist, '.tsbuildinfo')
    writeFileSync(info, '')
    const { mtimeMs } = statSync(join(dist, 'bundle/vedette.cjs'))
    utimesSync(info, mtimeMs / 1_000 - 1, mtimeMs / 1_000 - 1)
    expect(run()).toBe('bundle')
    utimesSync(info, mtimeMs / 1_000 + 1, mtimeMs / 1_000 + 1)
    expect(run()).toBe('modules')
  })

  test('is not needed, and can be declined', () => {
    expect(run([], { VEDETTE_MODULES: '1' })).toBe('modules')
    rmSync(join(dist, 'bundle'), { recursive: true })
    expect(run()).toBe('modules')
  })
})

test('no debugger is opened by SIGUSR1, which scripts send that rotate logs', () => {
  const hear = `process.once('SIGUSR1', () => { console.log('heard'); clearInterval(timer) })`
  const look = `if (require('node:inspector').url() !== undefined) { console.log('debugger'); process.exit() }`
  writeProgram(`{ vedette: () => {
    const timer = setInterval(() => { ${look} }, 10)
    if (process.listenerCount('SIGUSR1') > 0) ${hear}
    process.kill(process.pid, 'SIGUSR1')
  } }`)
  expect(run([], { NODE_OPTIONS: '--inspect-port=0' })).toBe('heard')
})

describe('compiled code', () => {
  test('is kept by the first start that answers, for each command, and used by the next', () => {
    run()
    run(['status', 'mymaster'])
    const names = kept()
    const engine = `${process.version}-${process.platform}-${process.arch}`
    expect(names).toEqual([`${ID}-vedette-${engine}`, `${ID}-vedette.status-${engine}`])
    const before = names.map((name) => statSync(join(dist, 'bundle/code-cache', name)).ino)
    expect(run()).toBe('bundle')
    expect(run(['status'])).toBe('bundle')
    const after = kept().map((name) => statSync(join(dist, 'bundle/code-cache', name)).ino)
    expect(after).toEqual(before)
  })

  test('of another content is never used, and removed', () => {
    run()
    // Of the same length: the engine itself would take it for the same.
    writeBundle('fedcba9876543210', 'BUNDLE')
    expect(run()).toBe('BUNDLE')
    expect(kept()).toEqual([expect.stringMatching(/^fedcba9876543210-vedette-v/)])
  })

  test('that is damaged is replaced', () => {
    run()
    const [name = ''] = kept()
    const path = join(dist, 'bundle/code-cache', name)
    const whole = statSync(path).size
    writeFileSync(path, readFileSync(path).subarray(0, 40))
    expect(run()).toBe('bundle')
    expect(statSync(path).size).toBeGreaterThan(whole / 2)
  })

  test('made with other flags of the engine has a file of its own', () => {
    run()
    expect(run([], { NODE_OPTIONS: '--max-old-space-size=100' })).toBe('bundle')
    expect(kept()).toHaveLength(2)
  })

  test('goes to the folder that systemd gives to a service', () => {
    const own = join(folder, 'cache')
    run([], { CACHE_DIRECTORY: own })
    expect(kept(own)).toHaveLength(1)
    expect(kept()).toEqual([])
  })

  test('that cannot be written costs nothing but time', () => {
    writeFileSync(join(dist, 'bundle/code-cache'), 'a file where the folder should be')
    expect(run()).toBe('bundle')
    expect(run()).toBe('bundle')
  })

  test('of a command line that says nothing is not kept', () => {
    expect(() => run(['crash'])).toThrow('oh')
    writeFileSync(
      join(dist, 'bundle/vedette.cjs'),
      `/* ${ID} */(function (exports) { exports.PROGRAMS = { vedette: () => process.exit(2) } })`,
    )
    rmSync(join(dist, 'bundle/code-cache'), { recursive: true, force: true })
    expect(() => run(['statsu'])).toThrow('Command failed')
    expect(kept()).toEqual([])
  })
})

test('a stack names the source files, if there is a table of them', () => {
  expect(() => run(['crash'])).toThrow(/bundle\/vedette\.cjs:3:/)
  // Line 3 of the bundle: the first source, line 7.
  const lines = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0])
  const table = Buffer.concat([Buffer.from('["src/cli/main.ts"]\n'), lines])
  writeFileSync(join(dist, 'bundle/vedette.cjs.lines'), table)
  expect(() => run(['crash'])).toThrow(/at .*\(?src\/cli\/main\.ts:7\b/)
})

describe('the bundle of the build', () => {
  function lineOf(start: string): number {
    const lines = readFileSync(join(DIST, 'bundle/vedette.cjs'), 'latin1').split('\n')
    return lines.findIndex((text) => text.startsWith(start))
  }

  test('is there, of plain ASCII, and not older than the modules', () => {
    const text = readFileSync(join(DIST, 'bundle/vedette.cjs'))
    expect(text.findIndex((byte) => byte > 127)).toBe(-1)
    const compiled = statSync(join(DIST, '.tsbuildinfo')).mtimeMs
    const bundled = statSync(join(DIST, 'bundle/vedette.cjs')).mtimeMs
    expect(bundled, 'npm run build makes a new one').toBeGreaterThanOrEqual(compiled)
  })

  test('lets the engine compile a module of ours only when a start needs it', () => {
    expect(readFileSync(join(DIST, 'bundle/vedette.cjs'), 'latin1')).not.toContain('= __esmMin((()')
  })

  test('has a table that finds a function in its source', () => {
    const line = lineOf('function onceStarted(')
    const table = readFileSync(join(DIST, 'bundle/vedette.cjs.lines'))
    const end = table.indexOf('\n')
    const source = JSON.parse(table.toString('utf8', 0, end))[
      table.readUInt16LE(end + 1 + 4 * line)
    ]
    expect(source).toBe('src/io/process/once-started.ts')
    const original = readFileSync(join(DIST, '..', source), 'utf8').split('\n')
    const originalLine = table.readUInt16LE(end + 1 + 4 * line + 2)
    expect(original[originalLine - 1]).toMatch('function onceStarted(')
  })

  test('costs little memory when a stack is read, as Node does at each write that fails', () => {
    const script = `
      const [, folder, line] = process.argv
      const bundle = folder + 'bundle/vedette.cjs'
      require(folder + 'launch/stack-names.cjs').nameSourcesInStacks(bundle)
      const failing = new (require('vm').Script)('\\n'.repeat(line) + 'throw Error()', { filename: bundle })
      const before = process.memoryUsage().rss
      try { failing.runInThisContext() } catch (error) { console.log(error.stack) }
      console.log((process.memoryUsage().rss - before) / 1e6)`
    const line = String(lineOf('function onceStarted('))
    const output = execFileSync(process.execPath, ['-e', script, DIST, line], { encoding: 'utf8' })
    expect(output).toMatch(/at src\/io\/process\/once-started\.ts:\d+\n/)
    expect(Number(output.trim().split('\n').at(-1)), 'megabytes').toBeLessThan(20)
  })

  test('names the licence of every package that is in it', () => {
    const licences = readFileSync(join(DIST, 'bundle/third-party-licences.txt'), 'utf8')
    const { dependencies } = JSON.parse(readFileSync(join(DIST, '../package.json'), 'utf8'))
    for (const name of Object.keys(dependencies)) expect(licences).toMatch(`\n${name} `)
  })
})
