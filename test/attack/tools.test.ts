/** The command line before liars, endless files and clusters nobody can run: bounded, and it says why. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { freePorts, MAIN, run, vedette } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/** Much more than any of these needs on a busy machine, and much less than without a bound. */
const BOUND_MS = 15_000
/** For what keeps a processor busy for some seconds, of which a busy machine makes many. */
const SLOW_MS = 45_000
const ID = 'a'.repeat(40)
const ESCAPE = '\u001b'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Says `answer` to each question, whatever it is. */
async function liar(answer: (question: string, socket: Socket) => string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      for (const question of chunk.toString('latin1').split(/(?=\*\d+\r\n\$)/)) {
        socket.write(answer(question.replaceAll(/\r\n\$\d+\r\n/g, ' ').trim(), socket), 'latin1')
      }
    })
  })
  servers.push(server)
  const [port = 0] = await freePorts(1)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return `127.0.0.1:${port}`
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`
}

function list(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map(bulk).join('')}`
}

/** A Sentinel with one group, honest but for these fields. */
function sentinel(fields: Readonly<Record<string, string>>) {
  const master = { name: 'mymaster', ip: '10.0.0.1', port: '6379', quorum: '2', flags: 'master' }
  const words = Object.entries({ ...master, ...fields }).flat()
  return (question: string) => {
    if (/MYID/.test(question)) return bulk(ID)
    if (/MASTERS/.test(question)) return `*1\r\n${list(words)}`
    if (/GET-MASTER/.test(question)) return list(['10.0.0.1', '6379'])
    if (/CKQUORUM/.test(question)) return '+OK 1 usable Sentinels\r\n'
    return /INFO/.test(question) ? bulk('redis_version:7.0.15\r\n') : '*0\r\n'
  }
}

async function statusOf(address: string) {
  const startedAtMs = performance.now()
  const outcome = await run(process.execPath, [MAIN, 'status', '--sentinel', address], 20_000)
  expect(performance.now() - startedAtMs).toBeLessThan(BOUND_MS)
  return outcome
}

describe('status before a Sentinel that', () => {
  test('nests 200 000 lists says so, and lives', async () => {
    const { status, stdout } = await statusOf(await liar(() => '*1\r\n'.repeat(200_000)))
    expect(stdout).toContain('nested too deeply')
    expect(status).toBe(4)
  })

  test('has quorum -9 shows no such quorum, but whose mistake it is', async () => {
    const { stdout } = await statusOf(await liar(sentinel({ quorum: '-9' })))
    expect(stdout).not.toContain('quorum -9 of')
    expect(stdout).toContain("it answers SENTINEL MASTERS with what no Sentinel says: quorum '-9'")
  })

  test('sends escape sequences moves no cursor', async () => {
    const evil = {
      flags: `${ESCAPE}[2Jmaster${ESCAPE}]0;owned\u0007`,
      'failover-state': `${ESCAPE}[3J`,
    }
    const { stdout } = await statusOf(await liar(sentinel(evil)))
    expect(stdout).toContain('mymaster')
    expect(stdout).not.toContain(`${ESCAPE}[2J`)
    expect(stdout).not.toContain(`${ESCAPE}[3J`)
    expect(stdout).not.toContain('\u0007')
  })

  test('says numbers, nothing, or a word where a list belongs is wrong by name', async () => {
    const honest = sentinel({})
    for (const odd of [':5\r\n', '$-1\r\n', '*1\r\n*1\r\n$1\r\na\r\n']) {
      const answer = (question: string) => (/MASTERS/.test(question) ? odd : honest(question))
      const { stdout } = await statusOf(await liar(answer))
      expect(stdout).toContain('it answers SENTINEL MASTERS with')
    }
  })

  test('never answers, closes or resets in the middle, or sends binary is given up on', async () => {
    const closing = await liar((_question, socket) => {
      socket.end('*5\r\n$3\r\nab')
      return ''
    })
    const resetting = await liar((_question, socket) => {
      socket.resetAndDestroy()
      return ''
    })
    const [silent, closed, reset, binary] = await Promise.all([
      statusOf(await liar(() => '')),
      statusOf(closing),
      statusOf(resetting),
      statusOf(await liar(() => `\u0000\u00ff${ESCAPE}[31m\r\n`)),
    ])
    expect(silent.stdout).toContain('no answer within 3 s')
    expect(closed.stdout).toContain('it closed the connection')
    expect(reset.stdout).toContain('it closed the connection')
    expect(binary.stdout).toContain('it does not speak the Redis protocol')
  })

  test('announces more than there can be costs no memory', async () => {
    const address = await liar((_question, socket) => {
      const pump = () => {
        while (socket.writable && socket.write(':1\r\n'.repeat(16_384)));
      }
      socket.on('drain', pump)
      setImmediate(pump)
      return '*500000000\r\n'
    })
    expect((await statusOf(address)).stdout).toContain('more than 1000000 values in one reply')
  })
})

describe('a file that', () => {
  test('has no end is no configuration', async () => {
    const [zero, random, scenario, folder, binary] = await Promise.all([
      vedette('check', '/dev/zero'),
      vedette('check', '/dev/urandom'),
      vedette('scenario', 'run', '/dev/zero'),
      vedette('check', scratchFolder('tools')),
      vedette('check', process.execPath),
    ])
    expect(zero).toMatchObject({ status: 2 })
    expect(zero.stderr).toContain('cannot read /dev/zero: it is a device, not a file')
    expect(random.stderr).toContain('it is a device, not a file')
    expect(scenario.stderr).toContain('it is a device, not a file')
    expect(folder.stderr).toContain('it is a folder')
    expect(binary.stderr).toContain('it is too long')
  })

  test('comes out of a pipe is read, once and to its end', () => {
    const shell = (line: string) =>
      execFileSync('bash', ['-c', `${line} 2>&1; true`], { encoding: 'utf8', timeout: BOUND_MS })
    const check = `"${process.execPath}" "${MAIN}" check`
    const wrong = 'echo sentinel monitor m 10.0.0.1 6379 -9'
    const verdict = 'Quorum must be 1 or greater'
    expect(shell(`${check} <(echo sentinel monitor m 10.0.0.1 6379 2)`)).toContain('no problems')
    expect(shell(`${check} <(${wrong})`)).toContain(verdict)
    expect(shell(`${wrong} | ${check} /dev/stdin`)).toContain(verdict)
    expect(shell(`${wrong} | ${check} -`)).toContain(verdict)
  })

  test('is a pipe without an end is left after sixteen mebibytes', () => {
    const line = `yes port 1 | "${process.execPath}" "${MAIN}" check - 2>&1; true`
    const text = execFileSync('bash', ['-c', line], { encoding: 'utf8', timeout: BOUND_MS })
    expect(text).toContain('standard input: it is too long: at most 16 MiB are read')
  })

  test('has 30 000 groups or 10 000 nodes is refused soon, with what would do', async () => {
    const dir = scratchFolder('tools')
    const groups = Array.from(
      { length: 30_000 },
      (_, at) => `sentinel monitor g${at} 10.${at >> 16}.${(at >> 8) & 255}.${at & 255} 6379 2\n`,
    )
    writeFileSync(join(dir, 'sentinel.conf'), groups.join(''))
    const nodes = Array.from(
      { length: 10_000 },
      (_, at) => `    n${at}: { host: h${at}${at === 0 ? '' : ', replica-of: n0'} }\n`,
    )
    const small = readFileSync('scenarios/01-master-killed.yml', 'utf8')
    const big = small.replace(/ {2}nodes:\n( {4}.*\n)+/, `  nodes:\n${nodes.join('')}`)
    writeFileSync(join(dir, 'big.yml'), big)
    const [checked, played] = await Promise.all([
      run(process.execPath, [MAIN, 'check', join(dir, 'sentinel.conf')], SLOW_MS),
      run(process.execPath, [MAIN, 'scenario', 'run', join(dir, 'big.yml')], SLOW_MS),
    ])
    expect(checked.stderr).toContain('one Sentinel watches at most 10000 groups')
    expect(checked.stderr).toContain('more problems')
    expect(played.stderr).toContain('at most 500 can be played')
  })
})
