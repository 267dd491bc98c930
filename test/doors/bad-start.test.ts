/**
 * What keeps a program from starting, or must not: files that people got wrong, ports and folders that
 * are not to be had, and state that a disk has damaged. Each is told with its place and a way out, and
 * nothing that was saved is lost.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import {
  freePorts,
  node,
  type Program,
  sentinel,
  stopAll,
  until,
  vedette,
} from '../support/processes.ts'
import { RawClient } from '../support/raw-client.ts'
import { scratchFolder } from '../support/scratch.ts'
import { wireBulk } from '../support/wire.ts'

let folder = ''
let port = 0

beforeEach(async () => {
  folder = scratchFolder('bad-start')
  ;[port] = (await freePorts(1)) as [number]
})

function write(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const ANY_ID = 'a'.repeat(40)
const GROUP = ['groups:', '  mymaster:', '    master: 127.0.0.1:1', '    quorum: 2']

/** What Redis would have said, and a blank line. */
function fatal(number: number, line: string, reason: string): string {
  const header = '*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***'
  return `\n${header}\nReading the configuration file, at line ${number}\n>>> '${line}'\n${reason}\n\n`
}

describe('files that people got wrong', () => {
  test('an unknown directive of a redis.conf', async () => {
    const path = write('redis.conf', `port ${port}`, 'maxmemori 1gb')
    expect(await vedette('server', path)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        fatal(2, 'maxmemori 1gb', 'Bad directive or wrong number of arguments') +
        `error: ${path}:2:1  maxmemori  Bad directive or wrong number of arguments` +
        '  (did you mean maxmemory?)\n',
    })
  })

  test('an unknown directive of a sentinel.conf', async () => {
    const monitor = 'sentinel monitor mymaster 127.0.0.1 1 2'
    const line = 'sentinel down-aftr-milliseconds mymaster 5000'
    const path = write('sentinel.conf', monitor, line)
    expect(await vedette('sentinel', path)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        fatal(2, line, 'Unrecognized sentinel configuration statement.') +
        `error: ${path}:2:1  sentinel down-aftr-milliseconds  Unrecognized sentinel configuration statement.` +
        '  (did you mean down-after-milliseconds?)\n',
    })
  })

  test('an unknown option of a sentinel.yml', async () => {
    const path = write('sentinel.yml', ...GROUP, '    down-aftr: 5s')
    expect(await vedette('sentinel', path)).toEqual({
      status: 2,
      stdout: '',
      stderr:
        `error: ${path}:5:5  groups.mymaster.down-aftr  unknown option` +
        '  (did you mean down-after?)\n',
    })
  })

  test('broken YAML, with line and column', async () => {
    const path = write('sentinel.yml', ...GROUP, '   down-after: 5s')
    const stderr = `error: ${path}:5:1  All mapping items must start at the same column\n`
    expect(await vedette('sentinel', path)).toEqual({ status: 2, stdout: '', stderr })
    const verdict = `${path}: 1 error, 0 warnings\n`
    expect(await vedette('check', path)).toEqual({
      status: 2,
      stdout: '',
      stderr: stderr + verdict,
    })
  })

  const HOSTILE_YAML: Readonly<Record<string, readonly [text: string, problem: RegExp]>> = {
    'a hundred thousand nested lists': [`a: ${'['.repeat(100_000)}`, /1:1 {2}nested too deeply/],
    'a list that refers to itself': ['a: &a [*a, *a]', /1:1 {2}a {2}unknown option/],
    'aliases that multiply without bounds': [multipliedAliases(), /1:1 {2}Excessive alias count/],
    'bytes that are no text': ['\xff\xfe\x01: [', /:2:1 {2}Flow sequence/],
  }
  for (const [name, [text, problem]] of Object.entries(HOSTILE_YAML)) {
    test(`YAML with ${name}`, async () => {
      const { status, stderr } = await vedette('check', write('sentinel.yml', text))
      expect(stderr).toMatch(problem)
      expect(status).toBe(2)
    })
  }
})

describe('what is not to be had', () => {
  test.each(['server', 'sentinel'] as const)(
    'the port of another process, for a %s',
    async (kind) => {
      const other = node(folder, port)
      other.start()
      try {
        await until('it listens', 10_000, () => listens(port))
        const path =
          kind === 'server'
            ? write('redis.conf', `port ${port}`, 'bind 127.0.0.1')
            : write('sentinel.yml', `port: ${port}`, 'bind: 127.0.0.1', ...GROUP)
        const { status, stderr } = await vedette(kind, path)
        expect(stderr).toMatch(`vedette: cannot listen on 127.0.0.1:${port}: another process`)
        expect(status).toBe(1)
        expect(readdirSync(folder).filter((name) => name.includes('.state'))).toEqual([])
      } finally {
        await other.kill()
      }
    },
  )

  test('a state folder that is a file', async () => {
    const stateDir = write('file', 'precious')
    const path = write('sentinel.yml', `port: ${port}`, `state-dir: ${stateDir}`, ...GROUP)
    expect(await vedette('sentinel', path)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `vedette: the state folder ${stateDir} is no folder\n` +
        '  set state-dir (dir in a sentinel.conf) to a folder\n',
    })
    expect(readFileSync(stateDir, 'utf8')).toBe('precious\n')
  })

  test.skipIf(!existsSync('/sys/kernel'))('a state folder nobody can write to', async () => {
    const path = write('sentinel.yml', `port: ${port}`, 'state-dir: /sys/kernel', ...GROUP)
    const { status, stderr } = await vedette('sentinel', path)
    expect(stderr).toMatch(/^vedette: cannot write to the state folder \/sys\/kernel: E\w+\n/)
    expect(status).toBe(1)
  })
})

describe('a damaged state file', () => {
  let program: Program
  let statePath = ''
  let whole = ''
  let myid = ''

  beforeEach(async () => {
    program = sentinel(folder, port, { master: 1 })
    statePath = join(folder, String(port), `sentinel-${port}.state`)
    // It answers once it has saved who it is.
    myid = await startedAs()
    await program.kill()
    whole = readFileSync(statePath, 'latin1')
  })
  afterEach(() => stopAll(folder, [program]))

  /** Starts it; its id, by its own word. */
  async function startedAs(): Promise<string> {
    program.start()
    const client = await until('it listens', 10_000, () => RawClient.connect(port))
    const reply = await client.reply(encodeCommand(['SENTINEL', 'MYID']), wireBulk(ANY_ID).length)
    client.close()
    return reply.split('\r\n')[1] ?? ''
  }

  test('cut at any of several bytes is passed over: its copy is used, and that is told', async () => {
    const header = whole.indexOf('\n') + 1
    for (const length of [0, 1, header - 1, header, whole.length >> 1, whole.length - 1]) {
      writeFileSync(statePath, whole.slice(0, length))
      expect(await startedAs()).toBe(myid)
      await program.kill()
      expect(program.log()).toContain(`state file: ${statePath}: it is `)
      expect(program.log()).toContain('its copy is used')
      // And mended, or the next damage would be the last.
      for (const path of [statePath, `${statePath}.copy`]) {
        expect(readFileSync(path, 'latin1')).toBe(whole)
      }
      rmSync(program.logPath)
    }
  })

  test('missing is as good as damaged', async () => {
    rmSync(statePath)
    expect(await startedAs()).toBe(myid)
    expect(program.log()).toContain(`state file: ${statePath} is missing; its copy is used`)
  })

  test('without a sound copy stops the start, says where and how to mend it, and stays as it is', async () => {
    const cut = whole.slice(0, whole.length >> 1)
    writeFileSync(statePath, cut)
    writeFileSync(`${statePath}.copy`, 'junk')
    expect(await vedette('sentinel', join(program.folder, 'sentinel.yml'))).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `vedette: the state of this Sentinel cannot be read: ${statePath}: it is cut off or damaged ` +
        `(length or checksum differ); ${statePath}.copy: it is not a Vedette state file\n` +
        '  restore one of the two files from a backup; or delete both to start as a new Sentinel, ' +
        'but only after the failovers it may have voted in are over\n',
    })
    expect(readFileSync(statePath, 'latin1')).toBe(cut)
    expect(readFileSync(`${statePath}.copy`, 'latin1')).toBe('junk')
  })
})

async function listens(at: number): Promise<boolean> {
  const client = await RawClient.connect(at)
  client.close()
  return true
}

/** Nine times nine times … the same word: small to read, more than fits into memory when written out. */
function multipliedAliases(): string {
  const lists = Array.from({ length: 12 }, (_, level) => {
    const item = level === 0 ? 'word' : `*a${level - 1}`
    return `a${level}: &a${level} [${Array(9).fill(item).join(', ')}]`
  })
  return lists.join('\n')
}
