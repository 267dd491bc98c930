import fc from 'fast-check'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../../src/core/commands/table.ts'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { PEERS, REPLICAS, TestSentinel } from '../../support/sentinel-builder.ts'

const NAMES = [...COMMANDS.values()]
  .flatMap((one) => [one.name, ...[...one.subcommands.values()].map(({ name }) => name)])
  .filter((name) => name !== 'shutdown')

const WORDS = ['mymaster', '*', '', '0', '1', '-1', '6379', '10.0.0.1', '::1', 'auth-pass', 'TYPE']

const latin1 = fc
  .array(fc.integer({ min: 0, max: 255 }), { maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes))

const requests = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(fc.oneof(fc.constantFrom(...WORDS), latin1)))
  .map(([name, words]) => encodeCommand([...name.split('|'), ...words]))

test('no bytes of one client keep the next one from being served', () => {
  const input = fc.array(fc.oneof({ weight: 9, arbitrary: requests }, latin1), { maxLength: 12 })
  fc.assert(
    fc.property(input, fc.boolean(), (chunks, requiresPassword) => {
      const requirepass = requiresPassword ? 'secret' : ''
      const sentinel = new TestSentinel({ replicas: REPLICAS, peers: PEERS, requirepass })
      const stranger = sentinel.connect()
      for (const chunk of chunks) stranger.send(chunk)
      const next = sentinel.connect()
      next.ask('AUTH default secret')
      expect(next.send('PING\r\n')).toMatch(/\+PONG\r\n$/)
    }),
    { numRuns: 300, seed: 1 },
  )
})
