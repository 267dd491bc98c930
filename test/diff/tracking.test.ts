/**
 * Client-side caching: several clients of our node, and of a real redis-server, are told the same of
 * the keys they have read.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { replySlices } from '../../src/fuzz/transcripts/reply-slices.ts'
import { commonGrammars } from '../support/command-grammar.ts'
import { converse, type Heard, parseSteps, type Step } from '../support/conversation.ts'
import { OddCommands } from '../support/odd-commands.ts'
import { VALUES } from '../support/odd-words.ts'
import { hasRedisServer } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'

const SCRIPT = new URL('./tracking.txt', import.meta.url)
const STEPS = Number(process.env.VEDETTE_ODD ?? 150)
const SEED = process.env.VEDETTE_SEED ?? 'tracking'

const MODES: readonly (readonly string[])[] = [
  [],
  ['NOLOOP'],
  ['BCAST'],
  ['BCAST', 'NOLOOP', 'PREFIX', 'l', 'PREFIX', 'z'],
  ['OPTOUT'],
]

describe.skipIf(!hasRedisServer)('tracking (needs redis-server)', () => {
  const servers = bothServers({ 'enable-debug-command': 'yes' })

  /** What is heard in each step: from ours, then from the real one. */
  async function both(steps: readonly Step[]) {
    const heard = await Promise.all(servers.map(({ port }) => converse(port, steps)))
    return heard.map((each) => steps.map((step, at) => ({ ...step, heard: each[at] })))
  }

  test('clients are told the same in every mode', async () => {
    const [ours, theirs] = await both(parseSteps(readFileSync(SCRIPT, 'latin1')))
    expect(ours).toEqual(theirs)
  })

  for (const mode of MODES) {
    test(`${STEPS} odd commands of two clients tell the same [${mode.join(' ')}]`, async () => {
      const steps = await drawSteps(mode, createRng(`${SEED}${mode}`))
      const [ours, theirs] = (await both(steps)).map((heard) => heard.map(pushesOnly))
      expect(ours).toEqual(theirs)
    })
  }

  async function drawSteps(mode: readonly string[], rng: Rng): Promise<Step[]> {
    const docs = await Promise.all(servers.map(({ client }) => client.call('COMMAND', 'DOCS')))
    const odd = new OddCommands(rng, commonGrammars(docs[0], docs[1]))
    const drawn = Array.from({ length: STEPS }, () => {
      const who = rng.chance(1, 2) ? 'a:' : 'b:'
      const commands = odd.next()
      return commands.some(isMisread) ? [] : commands.map((words): Step => ({ who, words }))
    })
    const data = VALUES.filter((words) => !words.includes('gone'))
    return [
      { who: 'a:', words: ['HELLO', '3'] },
      { who: 'b:', words: ['FLUSHALL'] },
      ...data.map((words): Step => ({ who: 'b:', words })),
      { who: 'a:', words: ['CLIENT', 'TRACKING', 'ON', ...mode] },
      ...drawn.flat(),
    ]
  }
})

function pushesOnly({ who, words, heard }: Step & { readonly heard: Heard | undefined }) {
  return { who, words, told: replySlices(heard?.a ?? '').filter((slice) => slice.startsWith('>')) }
}

/** Redis finds no keys in an XREAD with an odd number of words, which it refuses. */
function isMisread([name = '']: readonly string[]): boolean {
  return name.toLowerCase() === 'xread'
}
