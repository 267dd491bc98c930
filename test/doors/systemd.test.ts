/** The service units, as far as systemd judges them without running: its words, and what they have to say for our programs. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { scratchFolder } from '../support/scratch.ts'

const ROOT = new URL('../../', import.meta.url)
const PROGRAMS = ['vedette-sentinel', 'vedette-server'] as const
const HAS_SYSTEMD = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0
/** systemd-analyze has judged units without running them since 250. */
const JUDGES_OFFLINE = HAS_SYSTEMD && systemdVersion() >= 250
/** Of 10; a unit without any hardening has 9.2. */
const EXPOSURE = 2.5

function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

/** All values of a key, in order: a unit may repeat it. */
function valuesOf(unit: string, key: string): readonly string[] {
  return unit
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1))
}

/** The unit with a program that is installed here, since systemd looks for it. */
function unitFile(program: string): string {
  const path = join(scratchFolder('unit'), `${program}.service`)
  const text = textOf(`deploy/systemd/${program}.service`)
  writeFileSync(path, text.replaceAll(`=/usr/bin/${program} `, '=/bin/true '))
  return path
}

function systemdVersion(): number {
  const { stdout } = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' })
  return Number(/systemd (\d+)/.exec(stdout)?.[1] ?? 0)
}

describe.skipIf(!HAS_SYSTEMD)('(need systemd-analyze)', () => {
  test.each(PROGRAMS)('systemd finds nothing wrong with %s.service', (program) => {
    const argv = ['verify', '--man=no', unitFile(program)]
    const { status, stderr } = spawnSync('systemd-analyze', argv, { encoding: 'utf8' })
    const ours = stderr.split('\n').filter((line) => line.includes(program))
    expect({ status, ours }).toEqual({ status: 0, ours: [] })
  })
})

describe.skipIf(!JUDGES_OFFLINE)('(need systemd-analyze 250 or newer)', () => {
  test.each(PROGRAMS)(`the exposure of %s.service is below ${EXPOSURE} of 10`, (program) => {
    const argv = ['security', '--offline=yes', `--threshold=${EXPOSURE * 10}`, unitFile(program)]
    const { status, stdout } = spawnSync('systemd-analyze', argv, { encoding: 'utf8' })
    expect({ status, said: stdout.trim().split('\n').at(-1) }).toMatchObject({ status: 0 })
  })
})

test.each(PROGRAMS)('%s.service lets systemd-notify, a child, say that it is ready', (program) => {
  const unit = textOf(`deploy/systemd/${program}.service`)
  expect(valuesOf(unit, 'Type')).toEqual(['notify'])
  expect(valuesOf(unit, 'NotifyAccess')).toEqual(['all'])
  expect(valuesOf(unit, 'ExecStart').join()).toContain(' --supervised systemd --daemonize no')
  expect(valuesOf(unit, 'RestrictAddressFamilies').join()).toContain('AF_UNIX')
})

test.each(PROGRAMS)('%s.service lets the engine compile', (program) => {
  const unit = textOf(`deploy/systemd/${program}.service`)
  expect(valuesOf(unit, 'MemoryDenyWriteExecute')).toEqual([])
})

test('the shipped configurations keep everything where the units may write', () => {
  for (const program of PROGRAMS) {
    const unit = textOf(`deploy/systemd/${program}.service`)
    expect(valuesOf(unit, 'StateDirectory')).toEqual(['vedette'])
    // Compiled code: src/launch/code-cache.cjs takes the folder from $CACHE_DIRECTORY.
    expect(valuesOf(unit, 'CacheDirectory')).toEqual(['vedette'])
    expect(valuesOf(unit, 'ProtectSystem')).toEqual(['strict'])
  }
  expect(parse(textOf('deploy/deb/sentinel.yml'))['state-dir']).toBe('/var/lib/vedette')
  expect(textOf('deploy/deb/server.conf')).toMatch(/^dir \/var\/lib\/vedette$/m)
  // What CONFIG REWRITE keeps stands beside the name that the node was started with.
  const [command] = valuesOf(textOf('deploy/systemd/vedette-server.service'), 'ExecStart')
  expect(command).toMatch(/^\/usr\/bin\/vedette-server \/var\/lib\/vedette\//)
})
