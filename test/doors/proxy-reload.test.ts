/** SIGHUP at a proxy, alone or in the process of a Sentinel: what of its TLS changes at once, and what does not. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Certificates, HAS_OPENSSL, type Pair } from '../support/certificates.ts'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  MAIN,
  Program,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/** No Sentinel is there: PROXY INFO is answered all the same. */
const SENTINELS = 'sentinels: ["127.0.0.1:1"]'

describe.skipIf(!HAS_OPENSSL || !HAS_REDIS_CLI)('(need openssl and redis-cli)', () => {
  const certificates = new Certificates()
  let folder = ''
  let file = ''
  let authority: Pair
  let own: Pair
  const programs: Program[] = []

  beforeAll(() => {
    authority = certificates.authority('authority')
    own = certificates.issue(authority, 'proxy')
  })
  afterAll(() => certificates.remove())
  beforeEach(() => {
    folder = scratchFolder('proxy-reload')
    file = join(folder, 'proxy.yml')
  })
  afterEach(async () => {
    await stopAll(folder, programs.splice(0))
  })

  function start(command: string, port: number): Program {
    const argv = [MAIN, command, file]
    const program = new Program(port, join(folder, 'program.log'), process.execPath, argv)
    programs.push(program)
    program.start()
    return program
  }

  const secured = () => ['--tls', '--cacert', authority.cert]
  const answers = (port: number, ...words: string[]) =>
    cli(port, ...words, 'PROXY', 'INFO').some((line) => line.includes('sentinels='))
  const tlsOf = (cert: string) =>
    `tls: {cert-file: ${cert}, key-file: ${own.key}, auth-clients: no}\n`

  test('clients speak TLS from then on, and a certificate that is missing changes nothing', async () => {
    const [port = 0, http = 0] = await freePorts(2)
    const proxy = `proxy: {${SENTINELS}, groups: {mymaster: {port: ${port}}}`
    writeFileSync(file, `${proxy}}\n`)
    const program = start('proxy', port)
    await until('it answers plainly', 10_000, () => answers(port))

    writeFileSync(file, `${tlsOf(own.cert)}${proxy}, tls: yes}\n`)
    program.signal('SIGHUP')
    await until('it answers over TLS', 10_000, () => answers(port, ...secured()))
    expect(() => answers(port)).toThrow()

    const missing = join(folder, 'nowhere.crt')
    writeFileSync(file, `${tlsOf(missing)}${proxy}, tls: yes}\n`)
    program.signal('SIGHUP')
    const refusal = `reload: nothing has changed: tls-cert-file ${missing}: there is no such file`
    await until('it says why not', 10_000, () => program.log().includes(refusal))
    expect(answers(port, ...secured())).toBe(true)

    writeFileSync(file, `http-port: ${http}\n${proxy}}\n`)
    program.signal('SIGHUP')
    await until('it answers plainly again', 10_000, () => answers(port))
    const restart = 'reload: http-port has changed, which needs a restart'
    await until('it says what needs a restart', 10_000, () => program.log().includes(restart))
  })

  test('a Sentinel that gets a proxy with TLS by a reload serves it', async () => {
    const [port = 0, home = 0] = await freePorts(2)
    const sentinel = `port: ${home}\ngroups: {mymaster: {master: "127.0.0.1:1", quorum: 1}}\n`
    writeFileSync(file, sentinel)
    const program = start('sentinel', home)
    await until('it answers', 10_000, () => cli(home, 'PING')[0] === 'PONG')
    const proxy = `proxy: {tls: yes, groups: {mymaster: {port: ${port}}}}\n`
    writeFileSync(file, `${sentinel}${proxy}`)
    program.signal('SIGHUP')
    const refusal = 'the proxy stays as it is: tls of the proxy needs a certificate'
    await until('it says what is missing', 10_000, () => program.log().includes(refusal))
    writeFileSync(file, `${sentinel}${tlsOf(own.cert)}${proxy}`)
    program.signal('SIGHUP')
    await until('it answers over TLS', 10_000, () => answers(port, ...secured()))
  })
})
