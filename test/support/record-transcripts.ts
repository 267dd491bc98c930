/**
 * Asks a redis-server what the transcripts of drawn runs keep (src/fuzz/transcripts): the scripts of test/diff/commands,
 * and odd commands. Everything is asked twice, of two new servers and a second apart: what they answer differently is
 * not compared.
 */
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRng } from '../../src/base/rng.ts'
import { comparable } from '../../src/fuzz/transcripts/comparable.ts'
import { commandOf } from '../../src/fuzz/transcripts/judge.ts'
import { replySlices } from '../../src/fuzz/transcripts/reply-slices.ts'
import type { Transcript } from '../../src/fuzz/transcripts/transcript.ts'
import { commonGrammars } from './command-grammar.ts'
import { OddCommands } from './odd-commands.ts'
import { VALUES } from './odd-words.ts'
import { startRedis } from './real-nodes.ts'
import { readScript, transcript } from './transcript.ts'

/** About the process and its files, or too long: nothing that a node without a world around it could answer. */
const LEFT_OUT =
  /^(command-table|cluster|shutdown-on|saving|aof|config|debug|replconf|maxmemory)\.txt$/
const ODD_CONVERSATIONS = 90
const ODD_COMMANDS = 40
const APART_MS = 1_100

type Plan = Pick<Transcript, 'name' | 'protocol' | 'commands'>

export async function recordTranscripts(folder: string): Promise<Transcript[]> {
  const found: Transcript[] = []
  for (const plan of [...scripts(folder), ...(await oddOnes())]) {
    const [first, second] = [await ask(plan), await ask(plan)]
    found.push(withoutChance(first, second))
  }
  return found
}

function scripts(folder: string): Plan[] {
  const files = readdirSync(folder).filter((file) => !LEFT_OUT.test(file))
  return files.map((file, at) => ({
    name: file.replace('.txt', ''),
    protocol: at % 2 === 0 ? '2' : '3',
    commands: readScript(`${folder}/${file}`),
  }))
}

async function oddOnes(): Promise<Plan[]> {
  const server = await startRedis()
  const docs = await server.client.call('COMMAND', 'DOCS')
  await server.stop()
  const odd = new OddCommands(createRng('transcripts'), commonGrammars(docs, docs))
  return Array.from({ length: ODD_CONVERSATIONS }, (_, at) => ({
    name: `odd commands ${at + 1}`,
    protocol: at % 2 === 0 ? '2' : '3',
    commands: [...VALUES, ...Array.from({ length: ODD_COMMANDS }, () => odd.next()).flat()],
  }))
}

/** What a new redis-server answers. */
export async function ask(plan: Plan): Promise<Transcript> {
  const server = await startRedis({ 'enable-debug-command': 'yes' })
  try {
    const hello = [
      ['CLIENT', 'REPLY', 'SKIP'],
      ['HELLO', plan.protocol],
    ]
    const commands = [...hello, ...plan.commands].map((words) => [...words])
    const atMs = Date.now()
    const lines = await transcript(server.port, commands)
    // The last one is the answer to the PING behind them.
    const replies = replySlices(lines.join('\r\n')).slice(0, -1)
    return { ...plan, atMs, replies }
  } finally {
    await server.stop()
    await sleep(APART_MS)
  }
}

export function withoutChance(first: Transcript, second: Transcript): Transcript {
  const replies = first.replies.map((reply, at) => {
    const command = commandOf(first, at)
    const isSame = comparable(command, reply) === comparable(command, second.replies[at])
    return isSame ? reply : undefined
  })
  return { ...first, replies }
}
