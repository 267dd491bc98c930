/**
 * Sends the same commands to two servers and finds the first one on which they disagree, by its reply or
 * by the data it leaves.
 */

import { comparable } from '../../src/fuzz/transcripts/comparable.ts'
import { replySlices } from '../../src/fuzz/transcripts/reply-slices.ts'
import { ALL_KEYS, VALUES } from './odd-words.ts'
import { transcript } from './transcript.ts'

export interface Difference {
  readonly command: readonly string[]
  readonly replies: readonly [string | undefined, string | undefined]
}

type Commands = readonly (readonly string[])[]

/** Expired keys exist until a command looks at them. */
const DIGEST: Commands = [
  ['SELECT', '0'],
  ['EXISTS', ...ALL_KEYS],
  ['DEBUG', 'DIGEST'],
]

/** Both begin with the same values; undefined if they agree to the end. */
export async function firstDifference(
  ports: readonly [number, number],
  protocol: string,
  commands: Commands,
): Promise<Difference | undefined> {
  const different = await differenceIn(ports, protocol, [...commands, ...DIGEST])
  if (different?.command[0] !== 'DEBUG') return different
  // Only their data differ: check after every command.
  for (let count = 1; count <= commands.length; count++) {
    // A transaction that is still open would queue the digest.
    if (commands[count - 1]?.[0] === 'MULTI') continue
    const found = await differenceIn(ports, protocol, [...commands.slice(0, count), ...DIGEST])
    if (found !== undefined) return { ...found, command: commands[count - 1] ?? [] }
  }
  return different
}

/** Commands that only one of them refuses, or both in different words. */
export async function refusedDifferently(
  ports: readonly [number, number],
  commands: Commands,
): Promise<Difference[]> {
  const sent = [['FLUSHALL'], ...VALUES, ...commands].map((words) => [...words])
  const texts = await Promise.all(ports.map((port) => transcript(port, sent)))
  const [ours = [], theirs = []] = texts.map((lines) => replySlices(lines.join('\r\n')))
  return sent.flatMap((command, at) => {
    const errors = [ours[at], theirs[at]].map((reply) => (reply?.startsWith('-') ? reply : 'fine'))
    return errors[0] === errors[1] ? [] : [{ command, replies: [ours[at], theirs[at]] as const }]
  })
}

async function differenceIn(
  ports: readonly [number, number],
  protocol: string,
  commands: Commands,
): Promise<Difference | undefined> {
  const silently = [
    ['CLIENT', 'REPLY', 'SKIP'],
    ['HELLO', protocol],
  ]
  const sent = [['FLUSHALL'], ...VALUES, ...commands]
  const all = [...silently, ...sent].map((words) => [...words])
  const texts = await Promise.all(ports.map((port) => transcript(port, all)))
  const [ours = [], theirs = []] = texts.map((lines) => replySlices(lines.join('\r\n')))
  const at = sent.findIndex((command, index) => {
    // The answer of a transaction is the answer of its one command.
    const about = command[0] === 'EXEC' ? (sent[index - 1] ?? []) : command
    return comparable(about, ours[index]) !== comparable(about, theirs[index])
  })
  if (at < 0) return undefined
  const command = sent[at]?.[0] === 'EXEC' ? sent[at - 1] : sent[at]
  return { command: command ?? [], replies: [ours[at], theirs[at]] }
}
