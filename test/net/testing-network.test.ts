/** The network of `vedette/testing`: what is cut stays between those who were cut off. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startCluster } from '../../src/exports/testing.ts'

/** What a new connection is answered, or that it is not. */
function ping(port: number, withinMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const end = (text: string) => {
      clearTimeout(late)
      socket.destroy()
      resolve(text)
    }
    const late = setTimeout(end, withinMs, 'silence')
    socket.once('data', (bytes) => end(`${bytes}`.trim()))
    socket.once('error', ({ message }) => end(message))
  })
}

test('clients connect to a cut-off master while its Sentinels dial it on their cut ways', async () => {
  await using one = await startCluster({ seed: 'network', downAfterMs: 100, clock: 'manual' })
  const { master } = one
  master.partition({ to: one.members.filter((member) => member !== master) })
  await one.until.switched()
  // Links that are silent for too long are given up, and dialled again.
  await one.advance(5_000)
  expect(await ping(master.port, 5_000)).toBe('+PONG')
})
