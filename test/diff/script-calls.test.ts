/**
 * Scripts that call commands, drawn at random, on our node and on a real redis-server: every reply is the
 * same, replicas of both are told the same, and in the end both hold the same.
 *
 * `VEDETTE_SEED=2 VEDETTE_LONG=1 npx vitest run test/diff/script-calls.test.ts` draws others, and more.
 */
import { describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { replySlices } from '../../src/fuzz/transcripts/reply-slices.ts'
import { ScriptDrawer } from '../support/draw-calls.ts'
import { hasRedisServer, type RealNode } from '../support/real-nodes.ts'
import { sized } from '../support/sized.ts'
import { bothServers } from '../support/test-nodes.ts'
import { streamOf, transcript } from '../support/transcript.ts'

const SCRIPTS = sized(600, 5_000)
const BATCH = 200

describe.skipIf(!hasRedisServer)('scripts drawn at random (need redis-server)', () => {
  const nodes = bothServers({ 'enable-debug-command': 'yes', 'repl-diskless-sync-delay': '0' })

  test('get the same replies, tell replicas the same and leave the same data', async () => {
    const drawer = new ScriptDrawer(createRng(`calls ${process.env.VEDETTE_SEED ?? 1}`))
    const different: object[] = []
    for (let done = 0; done < SCRIPTS; done += BATCH) {
      const batch = Array.from({ length: BATCH }, () => drawer.next())
      const replies = await Promise.all(nodes.map(({ port }) => repliesOf(port, batch)))
      for (const [at, [, script]] of batch.entries()) {
        const [ours, theirs] = replies.map((all) => all[at])
        if (ours !== theirs) different.push({ script, ours, theirs })
      }
      const [digest, expected] = await Promise.all(nodes.map(digestOf))
      if (digest !== expected) different.push({ after: done + BATCH, digest, expected })
      if (different.length > 0) break
    }
    expect(different).toEqual([])
  })

  test('are told to replicas by the same effects', async () => {
    const drawer = new ScriptDrawer(createRng(`effects ${process.env.VEDETTE_SEED ?? 1}`))
    const batch = Array.from({ length: SCRIPTS / 4 }, () => drawer.next())
    const told = await Promise.all(nodes.map(({ port }) => streamOf(port, batch)))
    // Moments that a script has chosen too far away are rounded here.
    const [ours, theirs] = told.map((all) =>
      all.map((text) => text.replace(/\d{13,}/g, '<moment>')),
    )
    expect(ours).toEqual(theirs)
  })
})

async function repliesOf(port: number, batch: readonly string[][]): Promise<string[]> {
  return replySlices((await transcript(port, batch)).join('\r\n'))
}

function digestOf({ client }: RealNode): Promise<unknown> {
  return client.call('DEBUG', 'DIGEST')
}
