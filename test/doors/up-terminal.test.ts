/** The demonstration cluster as somebody at a terminal sees it: the picture, and the keys. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const MAIN = fileURLToPath(new URL('../../dist/launch/vedette.cjs', import.meta.url))

/** util-linux' script gives a program a terminal. */
const HAS_SCRIPT = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util')

describe.skipIf(!HAS_SCRIPT)('at a terminal (needs script)', () => {
  let folder = ''
  let terminal: ChildProcess
  let screen = ''

  beforeEach(() => {
    folder = scratchFolder('terminal')
    screen = ''
    const command = `stty cols 100 rows 40; '${process.execPath}' '${MAIN}' up --down-after 500ms`
    terminal = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, TMPDIR: folder, TERM: 'xterm' },
    })
    // It may have ended before the last key.
    terminal.stdin?.on('error', () => undefined)
    terminal.stdout?.on('data', (chunk) => {
      screen += stripVTControlCharacters(String(chunk))
    })
  })
  afterEach(async () => {
    terminal.stdin?.write('q')
    await until('it ends', 5_000, () => terminal.exitCode !== null)
  })

  /** Presses a key and waits for the screen to say something after it. */
  async function press(key: string, expected: string): Promise<void> {
    const before = screen.length
    terminal.stdin?.write(key)
    await until(`${expected} after ${key}`, 10_000, () => screen.slice(before).includes(expected))
  }

  test('the keys harm the master and mend what they did', async () => {
    await until('the cluster is ready', 20_000, () => screen.includes('ready after'))
    expect(screen).toContain('2 replicas')
    await press('w', 'acknowledged')
    for (const key of ['k', 'p', 'c']) {
      await press(key, 'after that every Sentinel names')
      await press('b', 'becomes replica')
    }
    terminal.stdin?.write('q')
    await until('it ends', 5_000, () => terminal.exitCode !== null)
    expect(terminal.exitCode).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })
})
