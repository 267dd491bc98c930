/** Scripts as real processes: how each is run, and what of its end is told. */
import { chmodSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { utf8Bytes } from '../../src/base/utf8.ts'
import type { Event } from '../../src/core/event.ts'
import { Scripts } from '../../src/io/process/scripts.ts'
import { until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const FOLDER = realpathSync(scratchFolder('scripts'))

let lastJob = 0

/** A shell script at a path of its own. */
function script(body: string, head = '#!/bin/sh'): string {
  const path = join(FOLDER, `s${++lastJob}`)
  writeFileSync(path, `${head}\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

interface Execution {
  readonly events: readonly Event[]
  readonly scripts: Scripts
  /** The event that ends it. */
  end(): Promise<Event>
}

function execute(...argv: string[]): Execution {
  const events: Event[] = []
  const scripts = new Scripts((event) => events.push(event))
  scripts.run(++lastJob, argv)
  const isEnd = ({ kind }: Event) => kind === 'scriptEnded' || kind === 'scriptNotStarted'
  return { events, scripts, end: () => until('it ends', 5_000, () => events.find(isEnd)) }
}

test.each([0, 1, 2, 77, 255])('a script that exits with %d is told with that', async (status) => {
  const { events, end } = execute(script(`exit ${status}`))
  await end()
  expect(events).toEqual([
    { kind: 'scriptStarted', job: lastJob, pid: expect.any(Number) },
    { kind: 'scriptEnded', job: lastJob, status, signal: 0 },
  ])
})

test.each([
  ['SIGTERM', 15],
  ['SIGSEGV', 11],
])('a script that %s ends is told with the number of the signal', async (name, signal) => {
  const end = await execute(script(`kill -${name.slice(3)} $$; sleep 5`)).end()
  expect(end).toEqual({ kind: 'scriptEnded', job: lastJob, status: 0, signal })
})

test('a script that is killed ends by signal 9', async () => {
  const { events, scripts, end } = execute(script('exec sleep 30'))
  await until('it runs', 5_000, () => events.length > 0)
  scripts.kill(lastJob)
  expect(await end()).toMatchObject({ status: 0, signal: 9 })
})

test('each word arrives as it is, with no shell in between', async () => {
  const out = join(FOLDER, 'words')
  const path = script(`for word in "$@"; do printf '<%s>' "$word"; done > '${out}'`)
  await execute(path, '+sdown', 'a  b $HOME `id` "; *', '', utf8Bytes('größer 水')).end()
  expect(readFileSync(out, 'utf8')).toBe('<+sdown><a  b $HOME `id` "; *><><größer 水>')
})

test('a byte that is no UTF-8 arrives as the letter it is in Latin-1', async () => {
  const out = join(FOLDER, 'byte')
  await execute(script(`printf '%s' "$1" > '${out}'`), '\xff').end()
  expect(readFileSync(out, 'utf8')).toBe('ÿ')
})

test('a script has our environment and our folder', async () => {
  const out = join(FOLDER, 'surroundings')
  process.env.VEDETTE_SCRIPT_TEST = 'inherited'
  await execute(script(`echo "$VEDETTE_SCRIPT_TEST $(pwd -P)" > '${out}'`)).end()
  delete process.env.VEDETTE_SCRIPT_TEST
  expect(readFileSync(out, 'utf8')).toBe(`inherited ${realpathSync(process.cwd())}\n`)
})

test('what a script leaves in the background does not hold up its end', async () => {
  const done = join(FOLDER, 'background')
  const end = await execute(script(`(sleep 1; touch '${done}') & exit 3`)).end()
  expect(end).toMatchObject({ kind: 'scriptEnded', status: 3 })
  expect(existsSync(done)).toBe(false)
  await until('it goes on all the same', 5_000, () => existsSync(done))
})

test('nothing to run is a failure that a second try does not mend, with its reason', async () => {
  const plain = join(FOLDER, 'plain')
  writeFileSync(plain, '#!/bin/sh\n')
  const paths: readonly (readonly [path: string, reason: string])[] = [
    [join(FOLDER, 'gone'), 'ENOENT'],
    [plain, 'EACCES'],
    [FOLDER, 'EACCES'],
    [`${plain}/below`, 'ENOTDIR'],
    [
      script('', '#! /no/such/interpreter -x'),
      'its interpreter, /no/such/interpreter, is missing (ENOENT)',
    ],
    [
      script('', '#!/bin/sh\r'),
      'its interpreter, /bin/sh, is missing; its lines end as on Windows, with a CR (ENOENT)',
    ],
  ]
  for (const [path, reason] of paths) {
    const { events, end } = execute(path, 'word')
    await end()
    expect(events).toEqual([{ kind: 'scriptNotStarted', job: lastJob, failed: 'exec', reason }])
  }
})

test('a word no program can be given ends the execution, and not us', async () => {
  for (const word of ['a\0b', 'x'.repeat(1024 * 1024)]) {
    const end = await execute(script('exit 0'), word).end()
    expect(end).toMatchObject({ kind: 'scriptNotStarted', failed: 'exec' })
  }
})

test('a path without a slash is one in our folder, and not searched for', async () => {
  const end = await execute('true').end()
  expect(end).toMatchObject({ kind: 'scriptNotStarted', failed: 'exec', reason: 'ENOENT' })
})

test('nothing is told within the call, and nothing at all once we are gone', async () => {
  const out = join(FOLDER, 'abandoned')
  const { events, scripts } = execute(script(`touch '${out}'`))
  expect(events).toEqual([])
  scripts.abandon()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(events).toEqual([])
  expect(existsSync(out)).toBe(false)
})
