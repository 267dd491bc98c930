/**
 * A client with a password and next to no rights tries everything: each command there is, in transactions,
 * on every channel, under the names others know. And someone who can write files beside ours, or damage them.
 */
import {
  copyFileSync,
  lstatSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import type { Reply } from '../../src/resp/reply.ts'
import { ask, say, textOf, untilAnswering } from '../support/adversary.ts'
import {
  freePorts,
  MAIN,
  node,
  type Program,
  run,
  sentinelOn,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const EVERYWHERE = ['user default off', 'user admin on >admin-pw ~* &* +@all']
/** As docs/users.md has them. */
const WATCHER =
  '+ping +info +publish +subscribe +client|setname +client|kill +multi +exec +slaveof ' +
  '+config|rewrite +script|kill'
const PEER = '+ping +publish +client|setname +sentinel|is-master-down-by-addr'
const RESTS = 'resetchannels &__sentinel__:hello -@all'
const FIRST = ['AUTH', 'least', 'least-pw']
/** They change nothing of others, and Redis lets everybody. */
const FOR_ALL = ['auth', 'hello', 'reset', 'quit']

async function startNode(context: TestContext, rights: string): Promise<Program> {
  const folder = scratchFolder('rights')
  const [port = 0] = await freePorts(1)
  const user = `user least on >least-pw ${RESTS} ${rights}`
  const program = node(folder, port, [...EVERYWHERE, user])
  context.onTestFinished(() => stopAll(folder, [program]))
  program.start()
  await untilAnswering(program)
  return program
}

async function startSentinel(context: TestContext, rights: string): Promise<Program> {
  const folder = scratchFolder('rights')
  const [port = 0, master = 0] = await freePorts(2)
  const path = join(folder, 'sentinel.conf')
  const lines = [
    ...[`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, ...EVERYWHERE],
    `user least on >least-pw ${RESTS} ${rights}`,
    `sentinel monitor mymaster 127.0.0.1 ${master} 1`,
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  const program = sentinelOn(path, port, join(folder, 'sentinel.log'), false)
  context.onTestFinished(() => stopAll(folder, [program]))
  program.start()
  await untilAnswering(program)
  return program
}

interface Known {
  /** A command, or a container and its subcommand. */
  readonly words: readonly string[]
  /** With as many arguments as it takes: their number is looked at before rights are. */
  readonly argv: readonly string[]
}

/** Every command it knows, and each subcommand, as whoever may ask is told. */
async function commandsOf({ port }: Program): Promise<readonly Known[]> {
  const [, table] = await say(port, ['AUTH', 'admin', 'admin-pw'], ['COMMAND'])
  return itemsOf(table).flatMap((entry) => {
    const below = itemsOf(itemsOf(entry)[9])
    return (below.length === 0 ? [entry] : below).map(knownOf)
  })
}

function knownOf(entry: Reply): Known {
  const [name = '', arity = '1'] = itemsOf(entry).slice(0, 2).map(textOf)
  const words = name.split('|')
  const padding = Array.from({ length: Math.abs(Number(arity)) - words.length }, () => '1')
  return { words, argv: [...words, ...padding] }
}

function itemsOf(reply: Reply | undefined): readonly Reply[] {
  return reply?.kind === 'array' || reply?.kind === 'set' ? reply.items : []
}

function isAllowed(words: readonly string[], rights: string): boolean {
  const name = words.join('|').toLowerCase()
  return FOR_ALL.includes(name) || rights.split(' ').includes(`+${name}`)
}

describe.each([
  ['data node', startNode, WATCHER, 200],
  ['Sentinel', startSentinel, PEER, 40],
] as const)('a user with the least rights on a %s', (_name, start, rights, atLeast) => {
  test('may nothing else, by itself or in a transaction, under any spelling', async (context) => {
    const program = await start(context, rights)
    const forbidden = (await commandsOf(program)).filter(({ words }) => !isAllowed(words, rights))
    expect(forbidden.length).toBeGreaterThan(atLeast)
    for (const spell of [(word: string) => word, (word: string) => word.toUpperCase()]) {
      const attempts = forbidden.map(({ argv }) => argv.map(spell))
      const answers = (await say(program.port, FIRST, ...attempts)).slice(1).map(textOf)
      const outcomes = attempts.map((argv, at) => `${argv.join(' ')}: ${answers[at]}`)
      expect(outcomes.filter((_text, at) => !isRefusal(answers[at]))).toEqual([])
    }
    if (!isAllowed(['multi'], rights)) return
    const inside = forbidden.map(({ argv }) => argv)
    const answers = await say(program.port, FIRST, ['MULTI'], ...inside, ['EXEC'])
    const queued = answers.slice(2, -1).map(textOf)
    expect(queued.filter((text) => !isRefusal(text))).toEqual([])
    expect(answers.slice(-1).map(textOf).join()).toMatch(/^EXECABORT/)
  })

  test('speaks on no channel but the one for hellos, and names of nothing become rights', async (context) => {
    const program = await start(context, rights)
    const answers = await say(
      program.port,
      FIRST,
      ...[
        ['PUBLISH', 'elsewhere', 'x'],
        ['PUBLISH', '__sentinel__:hello2', 'x'],
      ],
      ...[
        ['PUBLISH', '__SENTINEL__:HELLO', 'x'],
        ['PUBLISH', '', 'x'],
      ],
      ...[
        ['PSUBSCRIBE', '*'],
        ['SUBSCRIBE', '+switch-master'],
        ['PSUBSCRIBE', '__sentinel__:hello'],
      ],
    )
    expect(
      answers
        .slice(1)
        .map(textOf)
        .filter((text) => !text.startsWith('NOPERM')),
    ).toEqual([])
    expect(await ask(program.port, 'PING')).toMatch(/^NOAUTH/)
  })
})

test('a command that is renamed away is unknown to everybody, under its old name', async (context) => {
  const folder = scratchFolder('renamed')
  const [port = 0, master = 0] = await freePorts(2)
  const path = join(folder, 'sentinel.conf')
  const lines = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`]
  const renamed = ['rename-command SHUTDOWN ""', 'rename-command ACL secret-acl']
  const group = [`sentinel monitor mymaster 127.0.0.1 ${master} 1`, '']
  writeFileSync(path, [...lines, ...renamed, ...group].join('\n'))
  const program = sentinelOn(path, port, join(folder, 'sentinel.log'), false)
  context.onTestFinished(() => stopAll(folder, [program]))
  program.start()
  await untilAnswering(program)
  for (const words of [['SHUTDOWN'], ['shutdown', 'NOSAVE'], ['ACL', 'WHOAMI']]) {
    expect(await ask(port, ...words)).toMatch(/^ERR unknown command/)
  }
  expect(await ask(port, 'secret-acl', 'WHOAMI')).toBe('default')
})

describe('files of a Sentinel', () => {
  test('are private, and a link laid in the way of a save is not followed', async (context) => {
    const program = await startSentinel(context, PEER)
    const state = join(program.logPath, '..', `sentinel-${program.port}.state`)
    const victim = join(program.logPath, '..', 'victim')
    writeFileSync(victim, 'of value')
    symlinkSync(victim, `${state}.tmp`)
    await saved(program)
    for (const path of [state, `${state}.copy`]) {
      expect((lstatSync(path).mode & 0o170_777).toString(8)).toBe('100600')
    }
    expect(readFileSync(victim, 'utf8')).toBe('of value')
    // Passwords are in it as digests only, and not those of others at all.
    expect(readFileSync(state, 'latin1')).not.toMatch(/admin-pw|least-pw/)
  })

  test('of two copies one may be damaged; with both it does not start, and says what to do', async (context) => {
    const program = await startSentinel(context, PEER)
    const state = join(program.logPath, '..', `sentinel-${program.port}.state`)
    await saved(program)
    await program.kill()
    const sound = `${state}.sound`
    copyFileSync(state, sound)
    writeFileSync(state, readFileSync(state).subarray(0, 50))
    program.start()
    await untilAnswering(program)
    await until('it says so', 5_000, () => program.log().includes(`${state}: `))
    await program.kill()
    for (const path of [state, `${state}.copy`]) writeFileSync(path, 'forged\n')
    const path = join(program.folder, '..', 'sentinel.conf')
    const outcome = await run(process.execPath, [MAIN, 'sentinel', path])
    expect(outcome.status).toBe(1)
    expect(outcome.stderr).toContain('the state of this Sentinel cannot be read')
    renameSync(sound, state)
  })
})

/** Until what it knows is on disk. */
async function saved({ port }: Program): Promise<void> {
  const replies = await say(port, ['AUTH', 'admin', 'admin-pw'], ['SENTINEL', 'FLUSHCONFIG'])
  expect(replies.map(textOf)).toEqual(['OK', 'OK'])
}

function isRefusal(answer: string | undefined): boolean {
  return (
    answer !== undefined &&
    /^(NOPERM|ERR unknown (sub)?command|ERR Command not allowed inside)/.test(answer)
  )
}
