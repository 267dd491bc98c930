/**
 * A drawn run also asks a new node what a redis-server was asked once: what commands mean, and in which words they are
 * refused, no history of a cluster can tell.
 */
import { maybeQuoted, quoted } from '../../base/quote.ts'
import { createRng } from '../../base/rng.ts'
import type { Failure } from '../failure.ts'
import { comparable } from './comparable.ts'
import { talk } from './talk.ts'
import type { Transcript } from './transcript.ts'

export const AS_REDIS = 'a node answers as redis-server does'
/** So many for each seed: two hundred seeds leave hardly one out. */
const DRAWN = 3
const SHOWN_CHARS = 200

/** The transcripts of a seed. */
export function drawTranscripts(seed: string, all: readonly Transcript[]): readonly Transcript[] {
  const rng = createRng(`transcripts of ${seed}`)
  return Array.from({ length: Math.min(DRAWN, all.length) }, () => rng.pick(all))
}

/** The first answer of our node that differs; undefined: none does. */
export function judgeTranscript(transcript: Transcript): Failure | undefined {
  let ours: readonly string[]
  try {
    ours = talk(transcript)
  } catch (error) {
    return failure(transcript, `the node failed: ${error instanceof Error ? error.stack : error}`)
  }
  const { replies } = transcript
  const length = Math.max(ours.length, replies.length)
  for (let at = 0; at < length; at++) {
    const command = commandOf(transcript, at)
    if (at < replies.length && replies[at] === undefined) continue
    const [mine, theirs] = [ours[at], replies[at]]
    if (mine === theirs || comparable(command, mine) === comparable(command, theirs)) continue
    const asked = command.map(maybeQuoted).join(' ')
    return failure(
      transcript,
      `${asked || `reply ${at + 1}`}: ${shown(mine)}; redis-server: ${shown(theirs)}`,
    )
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

function failure({ name, protocol }: Transcript, text: string): Failure {
  const where = `${name}, RESP${protocol}`
  const signature = `${AS_REDIS}: ${where}`
  const what = `${where}: ${text}`
  return { kind: 'violation', checker: AS_REDIS, text: what, atMs: undefined, signature }
}

function shown(reply: string | undefined): string {
  if (reply === undefined) return 'nothing'
  return quoted(reply.length > SHOWN_CHARS ? `${reply.slice(0, SHOWN_CHARS)}…` : reply)
}
