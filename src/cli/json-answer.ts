/**
 * What a program gets that asked for JSON with `--json`: an object in any case. A command prints its answer with `printJson`.
 * Where it fails before it has one, `answerFailure` prints `{"error": …, "hint": …}` in its place, with the words that
 * standard error has. So a command need not think of it, whatever it fails of.
 */
import { failureTold, type ToldFailure } from './report.ts'

let isAnswered = false

/** One line for one object. */
export function printJson(value: object): void {
  printJsonText(`${JSON.stringify(value)}\n`)
}

/** The same for what is in words already; it ends with a newline. */
export function printJsonText(text: string): void {
  isAnswered = true
  process.stdout.write(text)
}

/** Called once, when a command that was asked for JSON has ended. */
export function answerFailure(status: number, failure: ToldFailure = failureTold()): void {
  if (status !== 0 && !isAnswered) printJson(failure)
}
