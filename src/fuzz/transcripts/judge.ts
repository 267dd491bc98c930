/**
 * A drawn run also asks a new node and a new Sentinel what Redis' own were asked once: what commands mean, and in which
 * words they are refused, no history of a cluster can tell.
 */
import { maybeQuoted, quoted } from '../../base/quote.ts'
import { createRng } from '../../base/rng.ts'
import type { Failure } from '../failure.ts'
import { comparable } from './comparable.ts'
import { talkToNode } from './talk-node.ts'
import { talkToSentinel } from './talk-sentinel.ts'
import type { Transcript } from './transcript.ts'

const PROGRAMS = {
  'redis-server': { talk: talkToNode, checker: 'a node answers as redis-server does' },
  'redis-sentinel': { talk: talkToSentinel, checker: 'a Sentinel answers as redis-sentinel does' },
} as const
/** So many for each seed: two hundred seeds leave hardly one out. */
const DRAWN = 3
const SHOWN_CHARS = 200

/** The transcripts of a seed. */
export function drawTranscripts(seed: string, all: readonly Transcript[]): readonly Transcript[] {
  const rng = createRng(`transcripts of ${seed}`)
  return Array.from({ length: Math.min(DRAWN, all.length) }, () => rng.pick(all))
}

/** Undefined: ours answers all of it alike. */
export function judgeTranscript(transcript: Transcript): Failure | undefined {
  const different = firstDifference(transcript)
  if (different === undefined) return undefined
  const { checker } = PROGRAMS[transcript.program]
  const where = `${transcript.name}, RESP${transcript.protocol}`
  const signature = `${checker}: ${where}`
  const text = `${where}: ${different.text}`
  return { kind: 'violation', checker, text, atMs: undefined, signature }
}

export interface TranscriptDifference {
  /** Which reply. */
  readonly place: number
  readonly text: string
}

/** The first answer of ours that is another one; undefined: none is. */
export function firstDifference(transcript: Transcript): TranscriptDifference | undefined {
  const { program, replies } = transcript
  let ours: readonly string[]
  try {
    ours = PROGRAMS[program].talk(transcript)
  } catch (error) {
    return { place: 0, text: `it failed: ${error instanceof Error ? error.stack : error}` }
  }
  for (let place = 0; place < Math.max(ours.length, replies.length); place++) {
    const command = commandOf(transcript, place)
    if (place < replies.length && replies[place] === undefined) continue
    const [mine, theirs] = [ours[place], replies[place]]
    if (mine === theirs || comparable(command, mine) === comparable(command, theirs)) continue
    const asked = command.map(maybeQuoted).join(' ') || `reply ${place + 1}`
    return { place, text: `${asked}: ${shown(mine)}; ${program}: ${shown(theirs)}` }
  }
  return undefined
}

/**
 * The command that a reply answers, as far as that can be told: some commands have several answers, or none. The
 * answer of a transaction is the answer of its one command.
 */
export function commandOf({ commands, replies }: Transcript, at: number): readonly string[] {
  if (commands.length !== replies.length) return []
  const command = commands[at] ?? []
  return command[0] === 'EXEC' ? (commands[at - 1] ?? []) : command
}

function shown(reply: string | undefined): string {
  if (reply === undefined) return 'nothing'
  return reply.length > SHOWN_CHARS ? `${quoted(reply.slice(0, SHOWN_CHARS))}…` : quoted(reply)
}
