/** `vedette check --deep` against a real redis-server: with and without ACL DRYRUN, and nothing is changed by it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  HAS_REDIS_SERVER,
  MAIN,
  Program,
  run,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const HAS_ALL = HAS_REDIS_CLI && HAS_REDIS_SERVER
const RIGHTS =
  'resetchannels &__sentinel__:hello -@all +ping +info +publish +subscribe +client|setname +multi +exec'

describe.skipIf(!HAS_ALL)('check --deep (need redis-server and redis-cli)', () => {
  const folder = scratchFolder('deep')
  let master = 0
  let own = 0
  let node: Program

  beforeAll(async () => {
    ;[master = 0, own = 0] = await freePorts(2)
    const words = ['--port', `${master}`, '--save', '', '--dir', folder, '--bind', '127.0.0.1']
    node = new Program(master, join(folder, 'node.log'), 'redis-server', words)
    node.start()
    await until('redis-server answers', 5_000, () => cli(master, 'PING')[0] === 'PONG')
    const users = { asking: '+acl|dryrun', probing: '' }
    for (const [name, more] of Object.entries(users)) {
      cli(master, 'ACL', 'SETUSER', name, 'on', '>pw', ...`${RIGHTS} ${more}`.trim().split(' '))
    }
  })
  afterAll(() => stopAll(folder, [node]))

  async function deep(user: string, ...argv: string[]) {
    const path = join(folder, `${user}-sentinel.yml`)
    const login = user === '' ? '' : `, auth-user: ${user}, auth-pass: pw`
    const group = `{ master: "127.0.0.1:${master}", quorum: 2${login} }`
    writeFileSync(path, `port: ${own}\nbind: 127.0.0.1\ngroups: { g: ${group} }\n`)
    const words = [MAIN, 'check', '--deep', path, '--json', ...argv]
    const { status, stdout } = await run(process.execPath, words)
    const { findings } = JSON.parse(stdout) as { findings: { text: string; hint: string }[] }
    return { status, findings, text: findings.map(({ text, hint }) => `${text} -> ${hint}`) }
  }

  test('names the rules to paste, asked or probed, and executes nothing', async () => {
    const before = cli(master, 'ROLE')
    const outcomes = await Promise.all([deep('asking'), deep('probing')])
    for (const [at, user] of ['asking', 'probing'].entries()) {
      const { status, text } = outcomes[at] as (typeof outcomes)[number]
      expect(status).toBe(2)
      const rules = '+slaveof +config|rewrite +client|kill +script|kill'
      expect(text).toContainEqual(expect.stringContaining(`ACL SETUSER ${user} ${rules}`))
      expect(text).toContainEqual(expect.stringContaining('no replica answers'))
      expect(text).toContainEqual(expect.stringContaining('it does not run yet'))
    }
    expect(cli(master, 'ROLE')).toEqual(before)
    const stats = cli(master, 'INFO', 'commandstats').join('\n')
    const calls = ['replicaof', 'slaveof', 'config|rewrite', 'exec', 'publish', 'script|kill']
    const called = calls.filter((name) =>
      new RegExp(`cmdstat_${name.replace('|', '\\|')}:calls=[1-9]`).test(stats),
    )
    // EXEC is called once, without a MULTI before it.
    expect(called.filter((name) => name !== 'exec')).toEqual([])
  })

  test('a wrong password says which option is wrong', async () => {
    const { text } = await deep('nobody')
    expect(text).toContainEqual(
      expect.stringMatching(/it refuses the login \(WRONGPASS.*auth-user and auth-pass of group g/),
    )
  })

  test('who is there is asked as --user, if the configured user may not ask', async () => {
    const rights = RIGHTS.replace(' +info', '').split(' ')
    cli(master, 'ACL', 'SETUSER', 'blind', 'on', '>pw', ...rights)
    cli(master, 'ACL', 'SETUSER', 'admin', 'on', '>pw', 'allchannels', '+@all')
    const { text } = await deep('blind', '--user', 'admin', '--pass', 'pw')
    expect(text.join('\n')).toMatch(/reached as blind \(redis \d/)
  })

  test('a password that is missing here is told as such, and not as rights that were not tested', async () => {
    cli(master, 'ACL', 'SETUSER', 'default', 'resetpass', '>pw')
    const { text } = await deep('')
    expect(text).toContain(
      'it wants a login (NOAUTH Authentication required.) -> set auth-pass of group g',
    )
    expect(text.join('\n')).not.toMatch(/reached \(|not tested|CONFIG GET/)
  })
})
