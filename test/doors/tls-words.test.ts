/** The programs of the command line say when one side of a connection speaks TLS and the other does not. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allowanceOfOneRun } from '../../src/cli/status/access.ts'
import { Asking } from '../../src/cli/status/asking.ts'
import { Certificates, HAS_OPENSSL, type Pair } from '../support/certificates.ts'
import { vedette } from '../support/processes.ts'

describe.skipIf(!HAS_OPENSSL)(
  'a port that speaks TLS, and one that does not (need openssl)',
  () => {
    const certificates = new Certificates()
    const servers: Server[] = []
    let authority: Pair
    let tlsPort = 0
    let strictPort = 0
    let plainPort = 0
    let mutePort = 0

    async function listening(server: Server): Promise<number> {
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return (server.address() as { port: number }).port
    }

    beforeAll(async () => {
      authority = certificates.authority('ca')
      const own = certificates.issue(authority, 'node')
      const [ca, cert, key] = [authority.cert, own.cert, own.key].map((path) => readFileSync(path))
      const answer = (socket: { write(text: string): void; on: Server['on'] }) => {
        socket.on('error', () => undefined)
        socket.on('data', (bytes) =>
          socket.write(
            /^(PING|[*])/.test(String(bytes)) ? '+PONG\r\n' : '-ERR unknown command\r\n',
          ),
        )
      }
      tlsPort = await listening(createTlsServer({ cert, key }, answer as never))
      const strict = { cert, key, ca, requestCert: true, rejectUnauthorized: true }
      strictPort = await listening(createTlsServer(strict, answer as never))
      plainPort = await listening(createServer(answer as never))
      mutePort = await listening(createServer((socket) => socket.destroy()))
    })
    afterAll(() => {
      for (const server of servers) server.close()
      certificates.remove()
    })

    async function refusal(port: number, tls?: object): Promise<string> {
      const host = '127.0.0.1'
      const login = { user: undefined, password: undefined, tls, allowance: allowanceOfOneRun() }
      const client = new Asking({ host, port, ...login })
      try {
        await client.open()
        return String(await client.call('PING'))
      } catch (error) {
        return (error as Error).message
      } finally {
        client.disconnect()
      }
    }

    const lax = { checkServerIdentity: () => undefined }

    test('without --tls a TLS port is told with the options to add', async () => {
      const hint = /: this port speaks TLS; add --tls and --cacert FILE/
      expect(await refusal(tlsPort)).toMatch(hint)
      expect(await refusal(strictPort)).toMatch(hint)
    })

    test('with --tls a plain port is told with the options to leave out', async () => {
      expect(await refusal(plainPort, lax)).toMatch(/: this port speaks no TLS; leave out --tls/)
    })

    test('an unknown authority asks for --cacert, a wanted certificate for --cert', async () => {
      const ca = readFileSync(authority.cert)
      expect(await refusal(tlsPort, lax)).toMatch(/unknown authority: add --cacert FILE/)
      expect(await refusal(strictPort, { ...lax, ca })).toMatch(/: add --cert FILE and --key FILE/)
      expect(await refusal(tlsPort, { ...lax, ca })).toBe('PONG')
    })

    test('an authority that was given, and is not the one, is not asked for again', async () => {
      const ca = readFileSync(certificates.authority('elsewhere').cert)
      expect(await refusal(tlsPort, { ...lax, ca })).toMatch(
        /unknown authority: the file of --cacert has not the authority that has signed it$/,
      )
    })

    test('a port that hangs up on a client without a certificate may want one', async () => {
      const ca = readFileSync(authority.cert)
      const own = certificates.issue(authority, 'mute')
      const [cert, key] = [own.cert, own.key].map((path) => readFileSync(path))
      const port = await listening(createTlsServer({ cert, key }, (socket) => socket.destroy()))
      expect(await refusal(port, { ...lax, ca })).toMatch(
        /: perhaps it wants a certificate of ours/,
      )
    })

    test('files on the command line that cannot be used are told before anything is asked', async () => {
      const own = certificates.issue(authority, 'own')
      const other = certificates.issue(authority, 'other')
      const runs: readonly (readonly [string, ...string[]])[] = [
        ['--cert needs --key', '--cert', own.cert],
        ['--key needs --cert', '--key', own.key],
        [`--cacert ${own.key}: no certificate in PEM form`, '--cacert', own.key],
        [`--key ${other.key}: it is not the key of`, '--cert', own.cert, '--key', other.key],
      ]
      const ended = await Promise.all(
        runs.map(async ([words, ...files]) => {
          const { status, stderr } = await vedette('status', '--tls', ...files)
          return [status, stderr.includes(words)]
        }),
      )
      expect(ended).toEqual(runs.map(() => [2, true]))
    })

    test('a certificate that is not accepted asks for another one', async () => {
      const ca = readFileSync(authority.cert)
      const foreign = certificates.issue(certificates.authority('stranger'), 'foreign')
      const [cert, key] = [foreign.cert, foreign.key].map((path) => readFileSync(path))
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3']) {
        expect(await refusal(strictPort, { ...lax, ca, cert, key, maxVersion })).toMatch(
          /: perhaps it does not accept our certificate; its log says why/,
        )
      }
      expect(await refusal(mutePort, { ...lax, ca, cert, key })).not.toMatch(/certificate/)
    })

    test('an expired certificate of the other side is to be renewed there', async () => {
      const old = certificates.issue(authority, 'old', { days: -1 })
      const [ca, cert, key] = [authority.cert, old.cert, old.key].map((path) => readFileSync(path))
      const port = await listening(createTlsServer({ cert, key }))
      expect(await refusal(port, { ...lax, ca })).toMatch(
        /^certificate has expired: renew it there/,
      )
    })

    test('a port that closes on everybody is not called TLS', async () => {
      expect(await refusal(mutePort)).toBe('it closed the connection')
    })

    test('vedette status, failover and epochs say it', async () => {
      const commands = [['status'], ['failover', 'mymaster'], ['epochs']]
      const outcomes = await Promise.all(
        commands.map((words) => vedette(...words, '--sentinel', `127.0.0.1:${tlsPort}`)),
      )
      for (const { status, stdout, stderr } of outcomes) {
        expect(stdout + stderr).toContain('this port speaks TLS; add --tls')
        expect(status).not.toBe(0)
      }
    })
  },
)
