/**
 * What becomes of a program whose output is not read any more: `vedette status | head -1` closes its end
 * of the pipe. Node reports that as an error of the stream, which would be a crash with a stack.
 *
 * - A program that only shows something ends at once and silently, as other Unix tools do.
 * - A program that changes something, or keeps a service alive, carries on to its end: a replay or a
 *   lowering of epochs that stops half-way is worse than one whose report is not read.
 *
 * Output that cannot be written, as on a full disk, is told on standard error and is a failure, except of a service.
 */
import { EXIT_FAILED } from './report.ts'

/** 128 + 13: how a shell sees a tool that SIGPIPE has ended. Node itself ignores the signal. */
const EXIT_BROKEN_PIPE = 141

/** Commands that do not end with their reader, by their full names: `replay` alone only shows. */
const CARRY_ON: ReadonlyMap<string, 'service' | 'change'> = new Map([
  ['proxy', 'service'],
  ['up', 'service'],
  ['sentinel', 'service'],
  ['server', 'service'],
  ['failover', 'change'],
  ['epochs', 'change'],
  ['ledger replay', 'change'],
])

let outlives: 'service' | 'change' | undefined
let isTold = false

/** Call it once, before anything is written: the program ends with its reader, unless `outliveReader` says otherwise. */
export function watchOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onError)
}

/** This command runs now. Those that have to get to their end carry on without a reader. */
export function outliveReader(command: string): void {
  outlives = CARRY_ON.get(command)
}

function onError(error: NodeJS.ErrnoException): void {
  if (outlives === 'service') return
  const isEnd = outlives === undefined
  if (error.code !== 'EPIPE') tellUnwritten(error)
  else if (isEnd) process.exit(EXIT_BROKEN_PIPE)
  if (isEnd) process.exit(EXIT_FAILED)
}

/** A full disk behind a redirection. Standard error may be what cannot be written. */
function tellUnwritten(error: Error): void {
  if (isTold) return
  isTold = true
  process.stderr.write(`vedette: cannot write the output: ${error.message}\n`)
  process.once('exit', (status) => {
    if (status === 0) process.exitCode = EXIT_FAILED
  })
}
