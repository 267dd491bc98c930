/** What `vedette check` finds missing on this machine. */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkFile } from '../../../src/cli/check/check-file.ts'
import { settingsInForce, settingsText } from '../../../src/cli/check/settings-in-force.ts'
import { formatProblem } from '../../../src/config/problem.ts'
import { DEFAULT_GROUP } from '../../../src/core/config.ts'
import { StateFile } from '../../../src/io/files/state-file.ts'
import { Certificates, HAS_OPENSSL, type Pair } from '../../support/certificates.ts'
import { scratchFolder } from '../../support/scratch.ts'

let folder = ''
beforeEach(() => {
  folder = scratchFolder('check')
})

function write(name: string, ...lines: string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const GROUP = 'groups: { g: { master: "127.0.0.1:6379", quorum: 2 } }'

/** Severity, code, line, path and message of all that is found. */
async function found(path: string, elsewhere = false): Promise<string[]> {
  const checked = await checkFile(path, elsewhere)
  // Tests may run in a container.
  const problems = checked.problems.filter(({ code }) => code !== 'W_CONTAINER_LIMIT')
  return problems.map(({ severity, code, line, path: option, message }) => {
    return `${severity} ${code} ${line ?? '-'} ${option}: ${message}`
  })
}

test('a data node with two doors on one port would not start', async () => {
  const path = write('redis.conf', 'bind 127.0.0.1', 'port 7000', 'http-port 7000')
  expect(await found(path)).toEqual([
    'error E_DUPLICATE 3 http-port: 7000 is the port of port, too',
  ])
  const other = write(
    'redis.conf',
    'bind 127.0.0.1',
    'port 7000',
    'http-port 7000',
    'http-bind ::1',
  )
  expect(await found(other)).toEqual([])
})

test('a data node that listens nowhere would not start', async () => {
  expect(await found(write('redis.conf', 'port 0', 'http-port 7000'))).toEqual([
    'error E_RANGE 1 port: is 0, and nothing else is to be listened on: the program does not start',
  ])
  const socket = join(folder, 'node.sock')
  expect(await found(write('redis.conf', 'port 0', `unixsocket ${socket}`))).toEqual([])
})

test('what a strict node has kept of its terms is looked at', async () => {
  const path = write('redis.conf', `dir ${folder}`, 'sync-replication yes', 'appendonly yes')
  const said = async () => (await found(path)).filter((line) => line.includes('strict.state'))
  const term = (number: string) =>
    write('strict.state', 'vedette strict 1', `term ${number} leader`, 'joined 1', 'end')
  expect(await said()).toEqual([])
  term('7')
  expect(await said()).toEqual([])
  term('9007199254740991')
  expect(await said()).toEqual([
    expect.stringMatching(
      /^warning W_EPOCHS_FAR 2 sync-replication: no election reaches term 9007/,
    ),
  ])
  write('strict.state', 'vedette strict 1', 'term 7 leader')
  expect(await said()).toEqual([
    expect.stringMatching(/^error E_STATE_DAMAGED 2 sync-replication: .*is damaged/),
  ])
  expect((await found(path, true)).join()).not.toContain('strict.state')
})

test('a dump with which the node would not start is told, with what is wrong and where', async () => {
  const path = write('redis.conf', `dir ${folder}`, 'databases 4')
  const dumped = (text: string) => writeFileSync(join(folder, 'dump.rdb'), text, 'latin1')
  const sound = 'REDIS0009\xfe\x03\x00\x01k\x01v\xff\0\0\0\0\0\0\0\0'
  dumped(sound)
  expect(await found(path)).toEqual([])
  const told = async (text: string, lines: readonly string[] = []) => {
    dumped(text)
    return await found(write('redis.conf', `dir ${folder}`, 'databases 4', ...lines))
  }
  expect(await told(sound.slice(0, 13))).toEqual([
    expect.stringMatching(
      /^error E_DUMP - dbfilename: .*dump\.rdb is damaged at byte 12: it ends early, .* does not start/,
    ),
  ])
  expect((await told('hello world')).join()).toMatch(/E_DUMP .*not an RDB payload/)
  expect((await told(sound.replace('\x03', '\x05'))).join()).toMatch(/E_DUMP .*database 5/)
  expect((await told(sound.replace('\0\0\0\0', 'abcd'))).join()).toMatch(/checksum is wrong/)
  expect(await told('hello world', ['appendonly yes'])).not.toContainEqual(
    expect.stringContaining('E_DUMP'),
  )
  expect(await found(write('redis.conf', `dir ${folder}`), true)).toEqual([])
})

test('a folder in the place of the dump is told', async () => {
  mkdirSync(join(folder, 'dump.rdb'))
  expect(await found(write('redis.conf', `dir ${folder}`))).toEqual([
    expect.stringMatching(/^error E_DUMP - dbfilename: .*dump\.rdb is a folder, not a file/),
  ])
})

const MANIFEST = 'file a.1.base.rdb seq 1 type b\nfile a.1.incr.aof seq 1 type i\n'
const SET = '*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n'

describe('an append-only file', () => {
  const lines = () => [`dir ${folder}`, 'appendonly yes', 'appendfilename a', 'databases 4']
  const put = (name: string, text: string) =>
    writeFileSync(join(folder, 'appendonlydir', name), text, 'latin1')
  const told = (...more: readonly string[]) => found(write('redis.conf', ...lines(), ...more))

  beforeEach(() => {
    mkdirSync(join(folder, 'appendonlydir'), { recursive: true })
    put('a.manifest', MANIFEST)
    put('a.1.base.rdb', 'REDIS0009\xfe\x03\x00\x01k\x01v\xff\0\0\0\0\0\0\0\0')
    put('a.1.incr.aof', `*2\r\n$6\r\nSELECT\r\n$1\r\n1\r\n${SET}`)
  })

  test('that the node would load is not told', async () => {
    expect(await told()).toEqual([])
    rmSync(join(folder, 'appendonlydir'), { recursive: true })
    expect(await told()).toEqual([])
  })

  test.each([
    [
      'a.1.base.rdb',
      'REDIS0009\xfe\x03\x00\x01k',
      /a\.1\.base\.rdb is damaged at byte .* does not start/,
    ],
    ['a.1.incr.aof', `${SET}nonsense`, /a\.1\.incr\.aof is damaged at byte 27/],
    ['a.1.incr.aof', '*2\r\n$6\r\nSELECT\r\n$1\r\n9\r\n', /selects database 9/],
    ['a.1.incr.aof', '*1\r\n$5\r\nBLURB\r\n', /the command 'BLURB'/],
    ['a.manifest', 'file a.1.base.rdb seq', /a\.manifest is damaged in line 1/],
    ['a.manifest', `${MANIFEST}file a.2.incr.aof seq 2 type i\n`, /a\.2\.incr\.aof is missing/],
  ])('%s with which it would not start is', async (name, text, says) => {
    put(name, text)
    expect(await told()).toEqual([expect.stringMatching(/^error E_AOF 2 appendonly: /)])
    expect((await told()).join()).toMatch(says)
    expect(await found(write('redis.conf', ...lines()), true)).toEqual([])
  })

  test('without its manifest is a warning: the node starts without data', async () => {
    rmSync(join(folder, 'appendonlydir', 'a.manifest'))
    expect(await told()).toEqual([
      expect.stringMatching(
        /^warning W_AOF_NOT_LOADED 2 .*a\.manifest is missing: .* what is in a\.1\.base\.rdb, a\.1\.incr\.aof/,
      ),
    ])
    writeFileSync(join(folder, 'dump.rdb'), '')
    expect((await told()).join()).toContain('W_DUMP_NOT_LOADED')
  })

  test('with a torn end is a warning, or an error with aof-load-truncated no', async () => {
    put('a.1.incr.aof', `${SET}*3\r\n$3\r\nSE`)
    expect(await told()).toEqual([
      expect.stringMatching(/^warning W_AOF_TORN 2 .* 10 bytes of .* cuts off at byte 27/),
    ])
    expect(await told('aof-load-truncated no')).toEqual([
      expect.stringMatching(/^error E_AOF 2 .*ends in the middle of a command/),
    ])
  })
})

test('a file in which all is well has no problems', async () => {
  expect(await found(write('s.yml', GROUP, 'bind: 127.0.0.1'))).toEqual([])
  expect(await found(write('redis.conf', 'bind 127.0.0.1', 'save 900 1'))).toEqual([])
})

const PROXY = 'groups: { g: { port: 6400 } }'
const THREE = 'sentinels: ["10.0.0.1:26379", "10.0.0.2:26379", "10.0.0.3:26379"]'

test('a file that has only a proxy is judged as one: it needs no group, and Sentinels to ask', async () => {
  expect(await found(write('p.yml', `proxy: { ${THREE}, ${PROXY} }`, 'http-port: 26379'))).toEqual(
    [],
  )
  expect(await found(write('p.yml', `proxy: { ${PROXY} }`))).toEqual([
    'error E_MISSING - proxy.sentinels: is required where no Sentinel runs',
  ])
  expect(await found(write('p.yml', `proxy: { sentinels: ["10.0.0.1:26379"], ${PROXY} }`))).toEqual(
    [expect.stringMatching(/^warning W_FEW_SENTINELS 1 proxy.sentinels: the proxy believes one/)],
  )
  expect(await found(write('p.yml', `proxy: { ${THREE}, ${PROXY}, bind: 192.0.2.7 }`))).toEqual([
    expect.stringMatching(/^error E_BIND 1 proxy.bind: 192.0.2.7: /),
  ])
  expect(
    await found(write('s.yml', 'port: 26379', 'bind: 127.0.0.1', `proxy: { ${PROXY} }`)),
  ).toEqual([expect.stringContaining('W_NO_GROUP')])
})

test('a log file that could not be opened is an error, with the line, and none is made', async () => {
  const missing = join(folder, 'logs/vedette.log')
  const reason = `cannot write the log file ${missing}: ENOENT`
  expect(await found(write('s.yml', GROUP, 'bind: 127.0.0.1', `log-file: ${missing}`))).toEqual([
    `error E_LOG_FILE 3 log-file: ${reason}`,
  ])
  const conf = write(
    'redis.conf',
    'bind 127.0.0.1',
    'save 900 1',
    `dir ${folder}`,
    'logfile logs/vedette.log',
  )
  expect(await found(conf)).toEqual([`error E_LOG_FILE 4 logfile: ${reason}`])
  expect(await found(write('s.yml', GROUP, 'bind: 127.0.0.1', `log-file: ${folder}`))).toEqual([
    `error E_LOG_FILE 3 log-file: cannot write the log file ${folder}: EISDIR`,
  ])
  const good = join(folder, 'vedette.log')
  expect(await found(write('s.yml', GROUP, 'bind: 127.0.0.1', `log-file: ${good}`))).toEqual([])
  expect(existsSync(good)).toBe(false)
})

test('a mistyped state folder is an error, with the line', async () => {
  const missing = join(folder, 'nope')
  expect(await found(write('s.yml', GROUP, `state-dir: ${missing}`))).toEqual([
    `error E_STATE_FOLDER 2 state-dir: the state folder ${missing}: there is no such folder`,
  ])
})

test('a damaged state is an error before the Sentinel is started', async () => {
  write('sentinel-26379.state', 'junk')
  const [problem, ...others] = await found(write('s.yml', GROUP))
  expect(problem).toMatch(/^error E_STATE_DAMAGED - state-dir: .*not a Vedette state file/)
  expect(others).toEqual([])
})

test('a bind address of another machine is an error, unless it may be missing', async () => {
  const message = '192.0.2.7: this machine has no such address'
  expect(await found(write('s.yml', GROUP, 'bind: [127.0.0.1, 192.0.2.7]'))).toEqual([
    `error E_BIND 2 bind: ${message}`,
  ])
  expect(await found(write('redis.conf', 'save 900 1', 'bind 192.0.2.7'))).toEqual([
    `error E_BIND 2 bind: ${message}`,
  ])
  expect(await found(write('s.yml', GROUP, 'bind: ["*", "-192.0.2.7", "-::*"]'))).toEqual([])
})

test('an outgoing address of another machine is an error', async () => {
  expect(await found(write('s.yml', GROUP, 'bind-source-addr: 192.0.2.7'))).toEqual([
    'error E_BIND 2 bind-source-addr: 192.0.2.7: this machine has no such address, so no connection can be opened',
  ])
})

test('an ACL file that is missing or wrong is an error', async () => {
  const path = join(folder, 'users.acl')
  const yml = write('s.yml', GROUP, `acl-file: ${path}`)
  const conf = write('redis.conf', 'save 900 1', `aclfile ${path}`)
  expect(await found(yml)).toEqual([
    expect.stringMatching(
      /^error E_ACL_FILE 2 acl-file: Error loading .*users\.acl': No such file/,
    ),
  ])
  expect(await found(conf)).toEqual([
    expect.stringMatching(/^error E_ACL_FILE 2 aclfile: Error loading .*users\.acl': No such file/),
  ])
  writeFileSync(path, 'user alice on +@nonsense\n')
  expect(await found(yml)).toEqual([expect.stringMatching(/^error E_ACL_FILE .*nonsense/)])
})

test('a file for another machine is looked at without this one', async () => {
  const yml = write('s.yml', GROUP, `state-dir: ${folder}/nope`, 'bind: 192.0.2.7', 'acl-file: /no')
  expect(await found(yml, true)).toEqual([])
})

test('the peers a Sentinel has met here, or a file remembers, count for its quorum', async () => {
  const group = { ...DEFAULT_GROUP, name: 'g', host: '127.0.0.1', port: 6379, quorum: 4 }
  const peers = ['b', 'c'].map((id, at) => ({
    ...{ runId: id.repeat(40), host: '127.0.0.1', port: 26_380 + at },
  }))
  const unreachable = '4 of 3 Sentinels can never agree: no failover will happen'
  const lines = peers.map(({ runId, host, port }) => {
    return `sentinel known-sentinel g ${host} ${port} ${runId}`
  })
  const conf = write('sentinel.conf', 'sentinel monitor g 127.0.0.1 6379 4', ...lines)
  expect(await found(conf)).toEqual([
    `error E_QUORUM_UNREACHABLE 1 sentinel monitor g: ${unreachable}`,
  ])
  const saved = { file: group, current: group, configEpoch: 0, leaderEpoch: 0, leader: '' }
  const stateFile = new StateFile(join(folder, 'sentinel-26379.state'))
  await stateFile.save({
    ...{ myid: 'a'.repeat(40), currentEpoch: 0, removed: [], settings: undefined },
    ...{ users: undefined, groups: [{ ...saved, replicas: [], peers }] },
  })
  await stateFile.close()
  const yml = write('s.yml', 'groups: { g: { master: "127.0.0.1:6379", quorum: 4 } }')
  expect(await found(yml)).toEqual([`error E_QUORUM_UNREACHABLE 1 groups.g.quorum: ${unreachable}`])
})

describe.skipIf(!HAS_OPENSSL)('certificates (need openssl)', () => {
  const certificates = new Certificates()
  let authority: Pair
  let other: Pair
  let own: Pair
  beforeAll(() => {
    authority = certificates.authority('ca')
    other = certificates.authority('other')
    own = certificates.issue(authority, 'node', { days: 90 })
    chmodSync(own.key, 0o600)
  })
  afterAll(() => certificates.remove())

  const tls = (words: Record<string, string>) => {
    const given = { port: '26390', 'cert-file': own.cert, 'key-file': own.key, ...words }
    return write(
      's.yml',
      GROUP,
      'tls:',
      ...Object.entries({ 'ca-cert-file': authority.cert, ...given }).map(
        ([name, value]) => `  ${name}: ${value}`,
      ),
    )
  }

  test('a pair that its authority has signed is fine', async () => {
    expect(await found(tls({}))).toEqual([])
  })

  test('missing files are all told at once', async () => {
    const nope = join(folder, 'nope')
    expect(await found(tls({ 'cert-file': nope, 'ca-cert-file': nope }))).toEqual([
      `error E_TLS 5 tls.cert-file: ${nope}: there is no such file`,
      `error E_TLS 3 tls.ca-cert-file: ${nope}: there is no such file`,
    ])
  })

  test.each([
    ['http-tls', 'http-port: 8080', 'http-tls: yes'],
    ['tls of the proxy', 'proxy: {tls: yes, groups: {mymaster: {port: 6400}}}', ''],
  ])('%s needs a certificate, and uses one that is there', async (user, ...lines) => {
    const used = lines.filter((line) => line !== '')
    const missing = `error E_TLS - tls.cert-file: is missing: ${user} needs it`
    expect(await found(write('s.yml', GROUP, ...used))).toEqual([missing])
    const files = `tls: {cert-file: ${own.cert}, key-file: ${own.key}}`
    expect(await found(write('s.yml', GROUP, ...used, files))).toEqual([])
    const wrong = `tls: {cert-file: ${own.cert}, key-file: ${other.key}}`
    expect(await found(write('s.yml', GROUP, ...used, wrong))).toEqual([
      expect.stringContaining('it is not the key of the certificate'),
    ])
  })

  test('the key of another certificate is an error', async () => {
    expect(await found(tls({ 'key-file': other.key }))).toEqual([
      expect.stringContaining('it is not the key of the certificate'),
    ])
  })

  test('an expired certificate is an error, one that soon expires a warning', async () => {
    const expired = certificates.issue(authority, 'expired', { days: -1 })
    const soon = certificates.issue(authority, 'soon', { days: 3 })
    for (const { key } of [expired, soon]) chmodSync(key, 0o600)
    expect(await found(tls({ 'cert-file': expired.cert, 'key-file': expired.key }))).toEqual([
      expect.stringMatching(/^error E_TLS 5 .*has expired on 20/),
    ])
    expect(await found(tls({ 'cert-file': soon.cert, 'key-file': soon.key }))).toEqual([
      expect.stringMatching(/^warning W_TLS 5 .*expires in [23] days/),
    ])
    expect(await found(tls({ 'ca-cert-file': expired.cert }))).toContainEqual(
      expect.stringMatching(/^error E_TLS .*the authority CN=expired has expired on 20/),
    )
  })

  test('an authority that has not signed it, a foreign name and a readable key are warnings', async () => {
    chmodSync(own.key, 0o644)
    const yml = tls({ 'ca-cert-file': other.cert })
    const text = `announce-ip: 10.0.0.7`
    writeFileSync(yml, `${text}\n`, { flag: 'a' })
    expect(await found(yml)).toEqual([
      expect.stringMatching(/^warning W_TLS .*none of the configured authorities has signed it/),
      expect.stringMatching(/^warning W_TLS .*does not name 10\.0\.0\.7/),
      expect.stringMatching(
        /^warning W_TLS 6 tls\.key-file: .*every user of this machine may read/,
      ),
    ])
    chmodSync(own.key, 0o600)
  })

  test('certificates without a port or links that use them have no effect', async () => {
    mkdirSync(join(folder, 'unused'))
    expect(await found(tls({ port: '0' }))).toEqual([
      expect.stringMatching(/^warning W_TLS 5 tls\.cert-file: has no effect/),
    ])
  })
})

describe('secrets', () => {
  const HOOK = 'https://hooks.example.com/a'
  const file = (...lines: string[]) => write('s.yml', GROUP, 'bind: 127.0.0.1', ...lines)
  const webhook = (url: string, ...options: string[]) =>
    file('webhooks:', `  - url: ${url}`, ...options.map((option) => `    ${option}`))

  function secret(name: string, text: string, mode = 0o600): string {
    const path = write(name, text)
    chmodSync(path, mode)
    return path
  }

  test('the secret and the authorities of a webhook are opened, and a fault names the line', async () => {
    const missing = join(folder, 'nope')
    const path = webhook(HOOK, `secret-file: ${missing}`, `ca-file: ${missing}`)
    const [first, second, ...others] = await found(path)
    expect(first).toMatch(/^error E_WEBHOOK 5 webhooks\.0\.secret-file: webhook 1: cannot read /)
    expect(second).toMatch(/^error E_WEBHOOK 6 webhooks\.0\.ca-file: webhook 1: cannot read /)
    expect(others).toEqual([])
    expect(await found(path, true)).toEqual([])
  })

  test('an empty secret, one that everybody may read, and a file without certificates', async () => {
    const empty = secret('empty', '')
    const open = secret('open', 'hush', 0o644)
    expect(await found(webhook(HOOK, `secret-file: ${empty}`))).toEqual([
      `error E_WEBHOOK 5 webhooks.0.secret-file: webhook 1: its secret is empty (${empty})`,
    ])
    expect(await found(webhook(HOOK, `secret-file: ${open}`))).toEqual([
      `warning W_SECRET_FILE 5 webhooks.0.secret-file: ${open}: every user of this machine may read the secret`,
    ])
    expect(await found(webhook(HOOK, `ca-file: ${open}`))).toEqual([
      `error E_WEBHOOK 5 webhooks.0.ca-file: webhook 1: no certificate in ca-file ${open}`,
    ])
    const torn = secret('torn', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')
    const [problem] = await found(webhook(HOOK, `ca-file: ${torn}`))
    expect(problem).toMatch(/^error E_WEBHOOK 5 .* a certificate in ca-file .* cannot be read/)
    expect(await found(webhook(HOOK, 'secret-env: VEDETTE_NO_SUCH_VARIABLE'))).toEqual([
      'error E_WEBHOOK 5 webhooks.0.secret-env: webhook 1: its secret is empty (variable VEDETTE_NO_SUCH_VARIABLE)',
    ])
  })

  test.skipIf(!HAS_OPENSSL)('sound files are in order, and authorities want https', async () => {
    const certificates = new Certificates()
    const { cert } = certificates.authority('hooks')
    const sound = secret('secret', 'hush')
    const options = [`secret-file: ${sound}`, `ca-file: ${cert}`]
    expect(await found(webhook(HOOK, ...options))).toEqual([])
    expect(await found(webhook('http://hooks.example.com/a', ...options))).toEqual([
      'warning W_NO_EFFECT 6 webhooks.0.ca-file: has no effect: the url is not https, so there is no certificate to check',
    ])
    certificates.remove()
  })

  test('the token of HTTP is read, if there is HTTP', async () => {
    const short = secret('token', 'short')
    expect(await found(file(`http-token-file: ${short}`))).toEqual([])
    expect(await found(file('http-port: 8080', `http-token-file: ${short}`))).toEqual([
      `error E_HTTP 4 http-token-file: the token in http-token-file ${short} is shorter than 16 characters`,
    ])
  })

  test('the token of a data node is read as well, in its dir unless its path is whole', async () => {
    const node = (...lines: string[]) => write('redis.conf', 'bind 127.0.0.1', ...lines)
    const short = secret('short', 'short')
    expect(await found(node('http-port 8080', `http-token-file ${short}`))).toEqual([
      `error E_HTTP 3 http-token-file: the token in http-token-file ${short} is shorter than 16 characters`,
    ])
    expect(await found(node(`dir ${folder}`, 'http-port 8080', 'http-token short'))).toEqual([
      'error E_HTTP 4 http-token: http-token is shorter than 16 characters',
    ])
    const open = secret('token', 'a'.repeat(32), 0o644)
    const path = node(`dir ${folder}`, 'http-port 8080', 'http-token-file token')
    expect(await found(path)).toEqual([
      `warning W_SECRET_FILE 4 http-token-file: ${open}: every user of this machine may read the secret`,
    ])
    expect(await found(node('http-port 8080', 'http-token-file token'))).toEqual([
      `error E_HTTP 3 http-token-file: http-token-file ${join(process.cwd(), 'token')} cannot be read: ENOENT`,
    ])
  })

  test('the token of a sentinel.conf is read in its dir, to which a Sentinel changes', async () => {
    secret('token', 'a'.repeat(32))
    const lines = ['bind 127.0.0.1', `dir ${folder}`, 'sentinel monitor g 127.0.0.1 6379 2']
    const path = write('s.conf', ...lines, 'http-port 8080', 'http-token-file token')
    const problems = await found(path)
    expect(problems.filter((one) => /E_HTTP|W_SECRET/.test(one))).toEqual([])
  })
})

test('a problem with an inherited option names the group and the defaults', async () => {
  const path = write('s.yml', 'defaults:', '  down-after: 20ms', GROUP, 'bind: 127.0.0.1')
  const { problems, sentinel } = await checkFile(path, false)
  const short = problems.find(({ code }) => code === 'W_DOWN_AFTER_SHORT')
  expect(short).toMatchObject({
    ...{ line: 2, path: 'groups.g.down-after', inheritedFrom: 'defaults.down-after' },
  })
  expect(short && formatProblem(short)).toContain(
    ':2:15  groups.g.down-after (from defaults.down-after)  20 ms',
  )
  if (sentinel === undefined) throw new Error('it cannot be read')
  expect(settingsInForce(sentinel).g).toMatchObject({
    quorum: { value: '2', from: 'group', line: 3 },
    'down-after': { value: '20 ms', from: 'defaults', line: 2 },
    'parallel-syncs': { value: '1', from: 'program', line: undefined },
  })
})

test('settings in force show no password', async () => {
  const lines = ['defaults:', '  auth-pass: [hush, hush2]', GROUP]
  const { sentinel } = await checkFile(write('s.yml', ...lines), true)
  if (sentinel === undefined) throw new Error('it cannot be read')
  const text = settingsText(settingsInForce(sentinel))
  expect(text).not.toContain('hush')
  expect(text).toMatch(/^ {2}auth-pass +\(not shown\) +defaults, line 2$/m)
})
