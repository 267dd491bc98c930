/**
 * Asks a redis-server and a redis-sentinel what the transcripts of drawn runs keep (src/fuzz/transcripts): the scripts
 * of test/diff, and odd commands. Everything is asked twice, of two new programs and a second apart: what they answer
 * differently is not compared.
 */
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createRng } from '../../src/base/rng.ts'
import { comparable } from '../../src/fuzz/transcripts/comparable.ts'
import { commandOf, firstDifference } from '../../src/fuzz/transcripts/judge.ts'
import { replySlices } from '../../src/fuzz/transcripts/reply-slices.ts'
import { NOBODY_WATCHED } from '../../src/fuzz/transcripts/talk-sentinel.ts'
import type { Transcript } from '../../src/fuzz/transcripts/transcript.ts'
import { commonGrammars } from './command-grammar.ts'
import { OddCommands, spoiled } from './odd-commands.ts'
import { VALUES } from './odd-words.ts'
import { startRedis } from './real-nodes.ts'
import { startRedisSentinel } from './real-sentinels.ts'
import { readScript, transcript } from './transcript.ts'

const FOLDER = fileURLToPath(new URL('../diff', import.meta.url))
/** About the process and its files, or too long: nothing that a node without a world around it could answer. */
const NODE_LEFT_OUT =
  /^(command-table|cluster|shutdown-on|saving|aof|config|debug|replconf|maxmemory)\.txt$/
/** They need another sentinel.conf, others to talk to, or replies that come without a question. */
const SENTINEL_LEFT_OUT = /^(settled|locked|renamed|scripts|events|client|command)\.txt$/
const ODD_CONVERSATIONS = { 'redis-server': 90, 'redis-sentinel': 25 }
const ODD_COMMANDS = 40
const APART_MS = 1_100

type Program = Transcript['program']
type Plan = Pick<Transcript, 'program' | 'name' | 'protocol' | 'commands'>

export async function recordTranscripts(program: Program): Promise<Transcript[]> {
  const plans = program === 'redis-server' ? await nodePlans() : sentinelPlans()
  const found: Transcript[] = []
  for (const plan of plans) {
    const first = await ask(plan)
    await sleep(APART_MS)
    const second = await ask(plan)
    const [sure, differences] = withoutDifferences(withoutChance(first, second))
    for (const text of differences) console.log(`not compared: ${text}`)
    found.push(sure)
  }
  return found
}

async function nodePlans(): Promise<Plan[]> {
  const server = await startRedis()
  const docs = await server.client.call('COMMAND', 'DOCS')
  await server.stop()
  const odd = new OddCommands(createRng('transcripts'), commonGrammars(docs, docs))
  const next = () => [...VALUES, ...Array.from({ length: ODD_COMMANDS }, () => odd.next()).flat()]
  return [...scripts('redis-server', NODE_LEFT_OUT), ...oddOnes('redis-server', next)]
}

/** Odd ones are lines of the scripts with a word missing, doubled, misplaced or strange. */
function sentinelPlans(): Plan[] {
  const known = scripts('redis-sentinel', SENTINEL_LEFT_OUT)
  const lines = known.flatMap(({ commands }) => commands)
  const rng = createRng('transcripts')
  const next = () => Array.from({ length: ODD_COMMANDS }, () => spoiled(rng.pick(lines), rng))
  return [...known, ...oddOnes('redis-sentinel', next)]
}

function scripts(program: Program, leftOut: RegExp): Plan[] {
  const folder = `${FOLDER}/${program === 'redis-server' ? 'commands' : 'sentinel'}`
  const files = readdirSync(folder).filter((file) => file.endsWith('.txt') && !leftOut.test(file))
  return files.map((file, at) => ({
    ...{ program, name: file.replace('.txt', ''), protocol: at % 2 === 0 ? '2' : '3' },
    commands: readScript(`${folder}/${file}`),
  }))
}

function oddOnes(program: Program, next: () => Plan['commands']): Plan[] {
  return Array.from({ length: ODD_CONVERSATIONS[program] }, (_, at) => ({
    ...{ program, name: `odd commands ${at + 1}`, protocol: at % 2 === 0 ? '2' : '3' },
    commands: next(),
  }))
}

/** What a new program of theirs answers. */
export async function ask(plan: Plan): Promise<Transcript> {
  const server = await started(plan.program)
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
  }
}

function started(program: Program) {
  if (program === 'redis-sentinel') return startRedisSentinel([NOBODY_WATCHED])
  return startRedis({ 'enable-debug-command': 'yes' })
}

export function withoutChance(first: Transcript, second: Transcript): Transcript {
  const replies = first.replies.map((reply, at) => {
    const command = commandOf(first, at)
    const isSame = comparable(command, reply) === comparable(command, second.replies[at])
    return isSame ? reply : undefined
  })
  return { ...first, replies }
}

/**
 * Without the answers that ours gives otherwise on purpose (test/diff/sentinel/differences.ts), which tests beside Redis'
 * programs judge. Returns them, too.
 */
function withoutDifferences(one: Transcript): [Transcript, string[]] {
  const replies = [...one.replies]
  const found: string[] = []
  for (;;) {
    const different = firstDifference({ ...one, replies })
    if (different === undefined) return [{ ...one, replies }, found]
    found.push(different.text)
    if (different.place >= one.replies.length) throw new Error(`${one.name}: ${different.text}`)
    replies[different.place] = undefined
  }
}
