/**
 * What becomes of a program whose output is not read any more: `vedette status | head -1` closes its end
 * of the pipe. Node reports that as an error of the stream, which would be a crash with a stack.
 *
 * - A program that only shows something ends at once and silently, as other Unix tools do.
 * - A program that changes something, or keeps a service alive, carries on to its end: a replay or a
 *   lowering of epochs that stops half-way is worse than one whose report is not read.
 */
import { EXIT_FAILED } from './report.ts'

/** 128 + 13: how a shell sees a tool that SIGPIPE has ended. Node itself ignores the signal. */
const EXIT_BROKEN_PIPE = 141

const CARRY_ON: ReadonlySet<string> = new Set([
  'proxy',
  'up',
  'sentinel',
  'server',
  'failover',
  'epochs',
  'replay',
])

let isOutlived = false

/** Call it once, before anything is written: the program ends with its reader, unless `outliveReader` says otherwise. */
export function watchOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onError)
}

/** This command runs now. Those that have to get to their end carry on without a reader. */
export function outliveReader(command: string): void {
  if (CARRY_ON.has(command)) isOutlived = true
}

function onError(error: NodeJS.ErrnoException): void {
  if (isOutlived) return
  if (error.code === 'EPIPE') process.exit(EXIT_BROKEN_PIPE)
  // A full disk behind a redirection. Standard error may be what cannot be written.
  process.stderr.write(`vedette: cannot write the output: ${error.message}\n`)
  process.exit(EXIT_FAILED)
}
