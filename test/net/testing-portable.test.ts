/**
 * `vedette/testing` where nothing of Unix is to be had: the platform calls itself Windows, and every call that it does
 * not have, or that would touch a file, a process or a signal, ends the program.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const TESTING = new URL('../../dist/library/testing.js', import.meta.url)
const SOURCES = new URL('../../src/', import.meta.url)

test('a cluster fails over without a file, a process, a signal or a socket with a path', async () => {
  const program = `
    import { createRequire, syncBuiltinESMExports } from 'node:module'
    const { startCluster } = await import(${JSON.stringify(TESTING.href)})
    const require = createRequire(${JSON.stringify(TESTING.href)})
    const refuse = (name) => () => { console.log('called', name); process.exit(1) }
    for (const module of ['fs', 'fs/promises', 'child_process']) {
      const own = require('node:' + module)
      for (const name of Object.keys(own)) {
        if (typeof own[name] === 'function' && /^[a-z]/.test(name)) own[name] = refuse(module + '.' + name)
      }
    }
    syncBuiltinESMExports()
    for (const name of ['kill', 'getuid', 'geteuid', 'getgid', 'umask', 'setuid']) process[name] = refuse(name)
    Object.defineProperty(process, 'platform', { value: 'win32' })
    const net = require('node:net')
    const listen = net.Server.prototype.listen
    net.Server.prototype.listen = function (where, ...rest) {
      if (typeof where !== 'object' || where.host !== '127.0.0.1') refuse('listen ' + where)()
      return listen.call(this, where, ...rest)
    }
    const cluster = await startCluster({ replicas: 1, downAfterMs: 100, password: 'secret' })
    await cluster.seed({ key: 'value' })
    cluster.master.fillDisk()
    cluster.master.kill()
    await cluster.until.switched()
    await cluster.reset()
    await cluster.stop()
    console.log('done')`
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { encoding: 'utf8' })
  expect(stdout).toBe('done\n')
})

/** Words that mean something on Unix alone. */
const UNIX = /SIGSTOP|SIGCONT|\/proc\/|\/dev\/|getuid|umask\(|mkfifo|prlimit|\/tmp/

test('no source of it says anything that only Unix knows, but where it refuses in words', () => {
  const files = closureOf(['exports/testing.ts', 'exports/jest.ts', 'exports/vitest.ts'])
  expect(files.length).toBeGreaterThan(100)
  const found = files.filter((file) => UNIX.test(codeOf(file)))
  expect(found).toEqual(['testing/process-member.ts'])
})

/** Without its comments, which may name what they like. */
function codeOf(file: string): string {
  const text = readFileSync(new URL(file, SOURCES), 'utf8')
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

const IMPORTS = /(?:^(?:import|export) (?!type)[^;]*? from |import\()'(\.[^']+)'/gm

/** The files and all that they import, types left out. */
function closureOf(entries: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const waiting = [...entries]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const own = new URL(file, SOURCES)
    for (const [, to = ''] of codeOf(file).matchAll(IMPORTS)) {
      waiting.push(fileURLToPath(new URL(to, own)).slice(fileURLToPath(SOURCES).length))
    }
  }
  return [...seen]
}
