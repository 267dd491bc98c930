/**
 * The password of Sentinels and of a proxy is changed as docs/users.md says: at every step Sentinels see each other,
 * and new connections of the proxy, of Sentinels and of clients are let in.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  MAIN,
  node,
  Program,
  sentinel,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

describe.skipIf(!HAS_REDIS_CLI)('(needs redis-cli)', () => {
  const folder = scratchFolder('sentinel-passwords')
  const proxyFile = join(folder, 'proxy.yml')
  let master: Program
  let sentinels: readonly Program[]
  let proxy: Program

  const lines = (password: string) => [`requirepass: ${password}`, `sentinel-pass: ${password}`]
  const proxyText = (password: string) => {
    const addresses = sentinels.map(({ port }) => `"127.0.0.1:${port}"`).join(', ')
    const groups = `groups: {mymaster: {port: ${proxy.port}}}`
    return `proxy: {sentinels: [${addresses}], password: ${password}, ${groups}}\n`
  }

  beforeAll(async () => {
    const [first = 0, door = 0, ...peers] = await freePorts(5)
    master = node(folder, first)
    const watch = { master: first, quorum: 2, lines: lines('old') }
    sentinels = peers.map((port) => sentinel(folder, port, watch))
    const argv = [MAIN, 'proxy', proxyFile]
    proxy = new Program(door, join(folder, 'proxy.log'), process.execPath, argv)
    writeFileSync(proxyFile, proxyText('old'))
    for (const one of [master, ...sentinels, proxy]) one.start()
    await allIsWell('old')
  })
  afterAll(() => stopAll(folder, [master, ...sentinels, proxy]))

  function ask(one: Program, password: string, ...words: string[]): string[] {
    return cli(one.port, '--no-auth-warning', '-a', password, ...words)
  }

  async function allIsWell(password: string): Promise<void> {
    for (const one of sentinels) {
      await until(`${one.port} sees the others`, 20_000, () => {
        const [answer = ''] = ask(one, password, 'SENTINEL', 'CKQUORUM', 'mymaster')
        return answer.startsWith('OK 3 usable')
      })
    }
    await until('the proxy leads to the master', 20_000, () => {
      const info = cli(proxy.port, 'PROXY', 'INFO').join()
      return info.includes('sentinels=3') && cli(proxy.port, 'PING')[0] === 'PONG'
    })
  }

  /** Every connection to a Sentinel is opened anew, with the password that its owner has now. */
  async function stepIsSafe(password: string): Promise<void> {
    for (const one of sentinels) {
      const clients = ask(one, password, 'CLIENT', 'LIST').length
      ask(one, password, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      ask(one, password, 'CLIENT', 'KILL', 'TYPE', 'pubsub')
      await until(`${one.port} has its clients again`, 10_000, () => {
        return ask(one, password, 'CLIENT', 'LIST').length >= clients - 1
      })
    }
    await allIsWell(password)
  }

  function onAll(password: string, ...words: string[]): void {
    for (const one of sentinels) expect(ask(one, password, ...words)).toEqual(['OK'])
  }

  test('in the order of docs/users.md nobody is locked out', async () => {
    onAll('old', 'ACL', 'SETUSER', 'default', '>new')
    await stepIsSafe('old')
    onAll('new', 'SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', 'new')
    await stepIsSafe('old')

    writeFileSync(proxyFile, proxyText('new'))
    proxy.signal('SIGHUP')
    await until('the proxy has read it', 10_000, () => proxy.log().includes('reload: done'))
    await stepIsSafe('old')

    onAll('new', 'ACL', 'SETUSER', 'default', '<old')
    await stepIsSafe('new')

    for (const one of sentinels) {
      const file = join(one.folder, 'sentinel.yml')
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.replace(lines('old').join('\n'), lines('new').join('\n')))
      one.signal('SIGHUP')
      await until('it has read it', 10_000, () => one.log().includes('reload: done'))
    }
    await stepIsSafe('new')

    const told = [...sentinels, proxy].flatMap((one) => one.log().split('\n'))
    expect(told.filter((line) => /\+sdown|WRONGPASS|NOAUTH/.test(line))).toEqual([])

    const [restarted] = sentinels as [Program]
    await restarted.kill()
    restarted.start()
    await until('it answers', 10_000, () => ask(restarted, 'new', 'PING')[0] === 'PONG')
    await stepIsSafe('new')
    for (const { port } of sentinels) {
      expect(cli(port, '--no-auth-warning', '-a', 'old', 'PING').join()).toContain('NOAUTH')
    }
  }, 120_000)
})
