/**
 * The built data node, ended in every way and started again: what it saved is there, what it did not save
 * is not, and what it cannot read it leaves alone.
 */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  node,
  type Program,
  stopAll,
  until,
  vedette,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const POINTS = ['save 3600 1']

describe.skipIf(!HAS_REDIS_CLI)('a data node (needs redis-cli)', () => {
  let folder = ''
  let port = 0
  let programs: Program[] = []
  /** A daemon nobody waits for; 0: none. */
  let daemon = 0

  beforeEach(async () => {
    folder = scratchFolder('restart')
    port = (await freePorts(1))[0] as number
    programs = []
    daemon = 0
  })
  afterEach(async () => {
    if (daemon !== 0) process.kill(daemon, 'SIGKILL')
    await stopAll(folder, programs)
  })

  const dump = () => join(folder, String(port), 'dump.rdb')
  const say = (...argv: string[]) => cli(port, ...argv)

  /** Not started. The folder keeps what it kept. */
  function newNode(lines: readonly string[] = POINTS): Program {
    const program = node(folder, port, lines)
    programs.push(program)
    return program
  }

  async function startAgain(program: Program): Promise<void> {
    program.start()
    await until('it answers', 10_000, () => say('PING')[0] === 'PONG')
  }

  async function endBy(program: Program, signal: NodeJS.Signals): Promise<void> {
    program.signal(signal)
    await until('it ends', 10_000, () => !program.isRunning)
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('saves at %s, and has it all again', async (signal) => {
    const program = newNode()
    await startAgain(program)
    say('SET', 'k', 'v')
    say('RPUSH', 'list', 'a', 'b')
    const before = say('DEBUG', 'DIGEST')
    await endBy(program, signal)
    await startAgain(program)
    expect(say('DEBUG', 'DIGEST')).toEqual(before)
    expect(say('INFO', 'persistence').map((line) => line.trim())).toContain(
      'rdb_last_load_keys_loaded:2',
    )
  })

  test('saves at SHUTDOWN, and not at SHUTDOWN NOSAVE', async () => {
    const program = newNode()
    await startAgain(program)
    say('SET', 'k', 'saved')
    say('SHUTDOWN')
    await until('it ends', 10_000, () => !program.isRunning)
    await startAgain(program)
    say('SET', 'k', 'not saved')
    say('SHUTDOWN', 'NOSAVE')
    await until('it ends', 10_000, () => !program.isRunning)
    await startAgain(program)
    expect(say('GET', 'k')).toEqual(['saved'])
  })

  test('after SIGKILL has what was saved last, and clears up behind itself', async () => {
    const program = newNode()
    await startAgain(program)
    say('SET', 'k', 'saved')
    expect(say('SAVE')).toEqual(['OK'])
    say('SET', 'k', 'lost')
    writeFileSync(join(folder, String(port), `temp-${program.pid}.rdb`), 'half')
    await endBy(program, 'SIGKILL')
    await startAgain(program)
    expect(say('GET', 'k')).toEqual(['saved'])
    expect(readdirSync(join(folder, String(port))).filter((name) => name.endsWith('.rdb'))).toEqual(
      ['dump.rdb'],
    )
  })

  test('without save points keeps nothing', async () => {
    const program = newNode([])
    await startAgain(program)
    say('SET', 'k', 'v')
    await endBy(program, 'SIGTERM')
    expect(existsSync(dump())).toBe(false)
  })

  test('saves by itself when a save point is reached', async () => {
    await startAgain(newNode(['save 1 2']))
    say('MSET', 'a', '1', 'b', '2')
    say('SET', 'c', '3')
    const isSaved = () =>
      say('INFO', 'persistence').some((line) => line.trim() === 'rdb_changes_since_last_save:0')
    await until('it saves', 10_000, isSaved)
    expect(existsSync(dump())).toBe(true)
  })

  test('does not start on a damaged file, says where, and touches nothing', async () => {
    const program = newNode()
    await startAgain(program)
    say('SET', 'key', 'value')
    await endBy(program, 'SIGTERM')
    const sound = readFileSync(dump())
    const conf = join(folder, String(port), 'redis.conf')
    for (const length of [0, 9, sound.length - 9, sound.length - 1]) {
      writeFileSync(dump(), sound.subarray(0, length))
      for (let start = 0; start < 2; start++) {
        const { status, stdout, stderr } = await vedette('server', conf)
        expect([length, status]).toEqual([length, 1])
        expect(stderr).toMatch(
          /^the data cannot be loaded: .*\/dump\.rdb is damaged at byte \d+: .*Nothing was changed\./,
        )
        expect(stderr.trim().split('\n')).toHaveLength(1)
        expect(stdout).toContain('"level":"warn"')
        expect(readFileSync(dump())).toEqual(sound.subarray(0, length))
      }
    }
    writeFileSync(dump(), sound)
    await startAgain(program)
    expect(say('GET', 'key')).toEqual(['value'])
  })

  test('in the background is ready when its data are loaded, and fails to start when it has none', async () => {
    const program = newNode()
    await startAgain(program)
    say('SET', 'key', 'value')
    await endBy(program, 'SIGTERM')
    const pidFile = join(folder, 'run.pid')
    const conf = join(folder, String(port), 'redis.conf')
    const argv = ['server', conf, '--daemonize', 'yes', '--pidfile', pidFile]
    expect(await vedette(...argv)).toMatchObject({ status: 0 })
    daemon = Number(readFileSync(pidFile, 'latin1'))
    expect(say('GET', 'key')).toEqual(['value'])
    process.kill(daemon, 'SIGTERM')
    await until('it is gone', 10_000, () => !existsSync(pidFile))
    daemon = 0
    writeFileSync(dump(), 'nonsense')
    const { status, stderr } = await vedette(...argv)
    expect([status, stderr]).toEqual([1, expect.stringContaining('damaged at byte 0')])
    expect(existsSync(pidFile)).toBe(false)
  })

  test('that cannot save stays at SIGTERM, and goes when it can', async () => {
    const program = newNode()
    await startAgain(program)
    say('SET', 'k', 'v')
    renameSync(join(folder, String(port)), join(folder, 'away'))
    program.signal('SIGTERM')
    await until('it says so', 10_000, () =>
      readFileSync(program.logPath, 'utf8').includes('the data cannot be saved'),
    )
    expect(say('SET', 'k', 'w')).toEqual(['OK'])
    renameSync(join(folder, 'away'), join(folder, String(port)))
    await endBy(program, 'SIGTERM')
    await startAgain(program)
    expect(say('GET', 'k')).toEqual(['w'])
  })
})
