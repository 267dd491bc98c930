/**
 * What a redis-server or a redis-sentinel answered to commands once, kept as text, so that a drawn run can ask ours the
 * same without theirs at hand:
 *
 *     # redis-server: strings, RESP3, at 1764190000000
 *     > SET k v EX abc
 *     > GET k
 *     < "-ERR value is not an integer or out of range\r\n"
 *     < "$-1\r\n"
 *
 * The commands come first, all of them; `<` alone is an answer that is not compared, because Redis gives another one
 * each time.
 */
import { maybeQuoted, quoted } from '../../base/quote.ts'
import { splitArgs } from '../../base/split-args.ts'
import { encodeCommand } from '../../resp/encode.ts'

export interface Transcript {
  readonly program: 'redis-server' | 'redis-sentinel'
  readonly name: string
  readonly protocol: '2' | '3'
  /** When the first command was sent, by the wall clock. */
  readonly atMs: number
  readonly commands: readonly (readonly string[])[]
  /** Byte strings; undefined: not compared. */
  readonly replies: readonly (string | undefined)[]
}

const HEAD = /^# (redis-server|redis-sentinel): (.+), RESP([23]), at (\d+)$/

export function transcriptText(transcript: Transcript): string {
  const { program, name, protocol, atMs, commands, replies } = transcript
  return [
    `# ${program}: ${name}, RESP${protocol}, at ${atMs}`,
    ...commands.map((words) => `> ${words.map(maybeQuoted).join(' ')}`),
    ...replies.map((reply) => (reply === undefined ? '<' : `< ${quoted(reply)}`)),
    '',
  ].join('\n')
}

/** Throws an Error that names the line that is none of these. */
export function readTranscripts(text: string): readonly Transcript[] {
  return text
    .split(/^(?=# )/m)
    .filter((part) => part !== '')
    .map(readOne)
}

function readOne(text: string): Transcript {
  const [first = '', ...lines] = text.trimEnd().split('\n')
  const head = HEAD.exec(first)
  if (head === null) throw new Error(`this begins no transcript: ${first}`)
  const wordsOf = (mark: string) =>
    lines.filter((line) => line.startsWith(mark)).map((line) => wordsIn(line, mark))
  const [, program, name = '', protocol, atMs] = head
  return {
    program: program === 'redis-sentinel' ? program : 'redis-server',
    ...{ name, protocol: protocol === '2' ? '2' : '3', atMs: Number(atMs) },
    ...{ commands: wordsOf('>'), replies: wordsOf('<').map(([reply]) => reply) },
  }
}

function wordsIn(line: string, mark: string): string[] {
  const words = splitArgs(line.slice(mark.length))
  if (words === undefined) throw new Error(`the quotes of this line do not match: ${line}`)
  return words
}

/** All of it in one piece. The reply of HELLO names the connection, so it is not given. */
export function pipelineOf({
  protocol,
  commands,
}: Pick<Transcript, 'protocol' | 'commands'>): string {
  const all = [['CLIENT', 'REPLY', 'SKIP'], ['HELLO', protocol], ...commands]
  return all.map((words) => encodeCommand(words)).join('')
}
