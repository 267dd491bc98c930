/**
 * Directives about the process of a data node: the Unix socket, the title, the rank when memory is short,
 * the system's log, and names of commands, on a node that is started as an operator starts it.
 */
import { createSocket } from 'node:dgram'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  freePorts,
  HAS_REDIS_CLI,
  MAIN,
  Program,
  run,
  stopAll,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

describe.skipIf(!HAS_REDIS_CLI)(
  'a node with directives about its process (needs redis-cli)',
  () => {
    const folder = scratchFolder('process-directives')
    const socket = join(folder, 'node.sock')
    const programs: Program[] = []
    let node: Program

    const syslog = createSocket('udp4')
    let received = ''

    /** The real `logger`, which sends to a port of ours instead of the socket that this machine may lack. */
    async function installLogger(): Promise<void> {
      syslog.on('message', (line) => {
        received += `${line}\n`
      })
      await new Promise<void>((resolve) => syslog.bind(0, '127.0.0.1', resolve))
      const place = `--udp --server 127.0.0.1 --port ${syslog.address().port}`
      mkdirSync(join(folder, 'bin'))
      const script = `#!/bin/sh\nexec /usr/bin/logger --rfc3164 ${place} "$@"\n`
      writeFileSync(join(folder, 'bin', 'logger'), script, { mode: 0o755 })
    }

    function start(name: string, ...lines: readonly string[]): Program {
      const conf = join(folder, `${name}.conf`)
      writeFileSync(conf, `${[`dir ${folder}`, 'save ""', ...lines].join('\n')}\n`)
      const path = `PATH=${folder}/bin:${process.env.PATH}`
      const argv = [path, process.execPath, MAIN, 'server', conf]
      const program = new Program(0, join(folder, `${name}.log`), 'env', argv)
      programs.push(program)
      program.start()
      return program
    }

    async function cli(...words: readonly string[]): Promise<string> {
      const { stdout } = await run('redis-cli', ['-s', socket, ...words])
      return stdout.trim()
    }

    beforeAll(async () => {
      await installLogger()
      const [port] = (await freePorts(1)) as [number]
      node = start(
        'first',
        `port ${port}`,
        'unixsocket node.sock',
        'unixsocketperm 700',
        'log-format redis',
        'syslog-enabled yes',
        'syslog-ident mine',
        'syslog-facility local3',
        'proc-title-template "{title} {listen-addr} {port} {{"',
        'oom-score-adj relative',
        'oom-score-adj-values 7 9 11',
        'rename-command FLUSHALL ""',
        'availability-zone here',
      )
      await until('it listens', 10_000, async () => (await cli('PING')) === 'PONG')
    })

    afterAll(async () => {
      syslog.close()
      await stopAll(folder, programs)
    })

    test('listens on a Unix socket with the mode that was asked for', async () => {
      expect(statSync(socket).mode & 0o777).toBe(0o700)
      expect(await cli('CLIENT', 'LIST')).toContain(`addr=${socket}:0 laddr=${socket}:0`)
      expect(await cli('CONFIG', 'GET', 'unixsocketperm')).toContain('700')
      expect(await cli('INFO', 'server')).toContain(`name=unix,bind=`)
      expect(await cli('FLUSHALL')).toMatch(/^ERR unknown command/)
    })

    test('has the title and the rank it was given', async () => {
      const command = () => readFileSync(`/proc/${node.pid}/cmdline`, 'utf8').replaceAll('\0', '')
      expect(command()).toMatch(/^vedette-server .*node.sock \d+ \{/)
      await cli('CONFIG', 'SET', 'proc-title-template', 'changed')
      expect(command()).toMatch(/^changed/)
      const rank = () => Number(readFileSync(`/proc/${node.pid}/oom_score_adj`, 'utf8'))
      const initial = Number(readFileSync('/proc/self/oom_score_adj', 'utf8'))
      expect(rank()).toBe(initial + 7)
      await cli('REPLICAOF', '127.0.0.1', '1')
      expect(rank()).toBe(initial + 9)
      await cli('REPLICAOF', 'NO', 'ONE')
      await cli('CONFIG', 'SET', 'oom-score-adj', 'absolute', 'oom-score-adj-values', '100 200 300')
      expect(rank()).toBe(100)
      expect(await cli('CONFIG', 'SET', 'oom-score-adj-values', '1 2')).toContain('wrong number')
      expect(await cli('CONFIG', 'SET', 'oom-score-adj-values', '1 2 3000')).toContain(
        'between -2000',
      )
    })

    test.skipIf(!existsSync('/usr/bin/logger'))('logs to syslog as well', async () => {
      // local3 is 19: 8 * 19 + 5 for a notice.
      await until('a line is sent', 5000, () => /^<157>.*mine.*: Ready to accept/m.test(received))
      const line = /^\d+:M \d\d [A-Z][a-z]{2} \d{4} [\d:.]{12} \* Ready to accept connections$/m
      expect(node.log()).toMatch(line)
    })

    test('says that its socket is ready, in the words that starters of servers look for', () => {
      const line = `The server is now ready to accept connections at ${socket}\n`
      expect(node.log()).toContain(line)
    })

    test('counts its rank from what an operator has set since, and restores that', async () => {
      const file = `/proc/${node.pid}/oom_score_adj`
      const rank = () => Number(readFileSync(file, 'utf8'))
      await cli('CONFIG', 'SET', 'oom-score-adj', 'no')
      writeFileSync(file, '222')
      await cli('CONFIG', 'SET', 'oom-score-adj', 'yes', 'oom-score-adj-values', '5 6 7')
      expect(rank()).toBe(227)
      await cli('CONFIG', 'SET', 'oom-score-adj', 'no')
      expect(rank()).toBe(222)
    })

    test('connects to its master from the address that CONFIG SET has named last', async () => {
      const seen: (string | undefined)[] = []
      const master = createServer((link) => {
        seen.push(link.remoteAddress)
        link.destroy()
      })
      await new Promise<void>((resolve) => master.listen(0, '127.0.0.1', resolve))
      const { port } = master.address() as AddressInfo
      await cli('CONFIG', 'SET', 'bind-source-addr', '127.0.0.2')
      await cli('REPLICAOF', '127.0.0.1', String(port))
      await until('the node comes', 5000, () => seen.length > 0)
      await cli('REPLICAOF', 'NO', 'ONE')
      master.close()
      expect(seen[0]).toBe('127.0.0.2')
    })

    test('does not take the socket of a node that lives, and takes that of a dead one', async () => {
      const [port] = (await freePorts(1)) as [number]
      const second = start('second', `port ${port}`, `unixsocket ${socket}`)
      await until('it gives up', 10_000, () => !second.isRunning)
      expect(second.log()).toContain('another process is listening there')
      await node.kill()
      expect(existsSync(socket)).toBe(true)
      const third = start('third', `port ${port}`, 'bind ""', `unixsocket ${socket}`)
      await until('it listens', 10_000, async () => (await cli('PING')) === 'PONG')
      // No address to bind to is no TCP port, and not all addresses.
      const overTcp = await run('redis-cli', ['-p', `${port}`, 'PING'])
      expect(overTcp.stderr).toContain('Connection refused')
      expect(await cli('INFO', 'server')).toMatch(/^listener0:name=unix/m)
      await cli('SHUTDOWN', 'NOSAVE')
      await until('it ends', 10_000, () => !third.isRunning)
      expect(existsSync(socket)).toBe(false)
    })

    test('starts without a file, with --include as the charts of Kubernetes give it', async () => {
      const [port] = (await freePorts(1)) as [number]
      const conf = join(folder, 'included.conf')
      writeFileSync(conf, `dir ${folder}\nsave ""\nmaxmemory 77mb\n`)
      const given = ['--port', `${port}`, '--maxmemory', '1mb', '--include', conf]
      const log = join(folder, 'included.log')
      const program = new Program(port, log, process.execPath, [MAIN, 'server', ...given])
      programs.push(program)
      program.start()
      const asked = ['-p', `${port}`, 'CONFIG', 'GET', 'maxmemory']
      const answer = async () => (await run('redis-cli', asked)).stdout
      await until('it answers', 10_000, async () => (await answer()).includes(`${77 << 20}`))
    })
  },
)
