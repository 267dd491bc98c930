/**
 * Long random histories of all types, on our node and on a real redis-server: every reply is the same, and
 * in the end both hold the same, themselves, in their replicas of either kind, and in what they keep on
 * disk, whoever reads it.
 *
 * `VEDETTE_HISTORY=100000 npx vitest run test/diff/histories.test.ts` makes them longer.
 */
import { cpSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { randomCommands } from '../support/random-commands.ts'
import {
  HOST,
  hasRedisServer,
  type RealNode,
  startOurs,
  startRedis,
} from '../support/real-nodes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { sized } from '../support/sized.ts'
import { transcript } from '../support/transcript.ts'
import { until } from '../support/until.ts'

const COMMANDS = Number(process.env.VEDETTE_HISTORY ?? sized(4_000, 10_000))
const BATCH = 1_000
const SEED = process.env.VEDETTE_SEED ?? 'histories'
const BOUND_MS = 60_000 + COMMANDS * 5

const DIRECTIVES = {
  'enable-debug-command': 'yes',
  'repl-diskless-sync-delay': '0',
  appendonly: 'yes',
}

type Start = (directives?: Record<string, string>) => Promise<RealNode>

const KINDS: Readonly<Record<string, Start>> = { ours: startOurs, theirs: startRedis }

describe.skipIf(!hasRedisServer)('random histories (need redis-server)', () => {
  const running: RealNode[] = []

  afterAll(async () => {
    for (const node of running) await node.stop()
  })

  function newFolder(): string {
    const folder = scratchFolder('history')
    return folder
  }

  async function start(kind: string, directives: Record<string, string> = {}): Promise<RealNode> {
    const node = await (KINDS[kind] as Start)({ ...DIRECTIVES, dir: newFolder(), ...directives })
    running.push(node)
    return node
  }

  async function follow(replica: RealNode, master: RealNode): Promise<RealNode> {
    await replica.client.replicaof(HOST, master.port)
    await until(async () => (await replica.client.role())[3] === 'connected')
    return replica
  }

  /** The digest of a node; with `like`, once it has become that one. */
  async function digest(node: RealNode, like?: string): Promise<string> {
    const ask = async () => String(await node.client.call('DEBUG', 'DIGEST'))
    if (like === undefined) return ask()
    await until(async () => (await ask()) === like).catch(() => undefined)
    return ask()
  }

  test(
    `${COMMANDS} commands get the same replies, and leave the same everywhere`,
    async () => {
      const [ours, theirs] = [await start('ours'), await start('theirs')]
      const early = [
        await follow(await start('theirs', { appendonly: 'no' }), ours),
        await follow(await start('ours', { appendonly: 'no' }), theirs),
      ]
      const commands = randomCommands(createRng(SEED))
      for (let done = 0; done < COMMANDS; done += BATCH) {
        const batch = nextBatch(commands)
        const replies = await Promise.all([ours, theirs].map(({ port }) => transcript(port, batch)))
        expect(replies[0], `after ${done} commands`).toEqual(replies[1])
        if ((done / BATCH) % 10 === 9) expect(await digest(ours)).toBe(await digest(theirs))
      }
      const expected = await digest(theirs)
      expect(await digest(ours)).toBe(expected)
      const late = [
        await follow(await start('theirs', { appendonly: 'no' }), ours),
        await follow(await start('ours', { appendonly: 'no' }), theirs),
      ]
      for (const replica of [...early, ...late])
        expect(await digest(replica, expected)).toBe(expected)
      await keptData(ours, theirs, expected)
    },
    BOUND_MS,
  )

  /** What each has on disk, read by the other and by itself. */
  async function keptData(ours: RealNode, theirs: RealNode, expected: string): Promise<void> {
    for (const writer of [ours, theirs]) {
      await writer.client.save()
      const [, folder = ''] = (await writer.client.config('GET', 'dir')) as string[]
      for (const reader of ['ours', 'theirs']) {
        for (const appendonly of ['yes', 'no']) {
          const copy = newFolder()
          cpSync(folder, copy, { recursive: true })
          const node = await start(reader, { dir: copy, appendonly })
          const what = `${writer === ours ? 'ours' : 'theirs'} read by ${reader}, AOF ${appendonly}`
          expect(await digest(node, expected), what).toBe(expected)
        }
      }
    }
  }
})

/** A transaction is not cut in two: what says that a batch is over would wait in it. */
function nextBatch(commands: Iterator<string[], never, void>): string[][] {
  const batch: string[][] = []
  let isOpen = false
  while (batch.length < BATCH || isOpen) {
    const command = commands.next().value
    batch.push(command)
    if (command[0] === 'MULTI') isOpen = true
    else if (command[0] === 'EXEC') isOpen = false
  }
  return batch
}
