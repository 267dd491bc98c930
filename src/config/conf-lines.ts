/**
 * The line format that redis.conf and sentinel.conf share: one directive per line, words with the same
 * quotes as inline commands, `#` for comments at the start of a line. Command-line overrides are the
 * same thing in another dress: `--port 26380` is the line `port 26380` after the end of the file.
 */
import { splitArgs } from '../base/split-args.ts'
import { utf8Bytes } from '../base/utf8.ts'
import type { Location, Problem, ProblemCode } from './problem.ts'

export interface ConfLine {
  readonly file: string
  /** From 1; undefined on the command line. */
  readonly line: number | undefined
  /** Of the first letter, from 1. */
  readonly column: number | undefined
  /** In lower case: directives have no case. */
  readonly directive: string
  readonly args: readonly string[]
}

export interface ConfLines {
  readonly lines: readonly ConfLine[]
  readonly problems: readonly Problem[]
}

const COMMAND_LINE = 'command line'
const UTF8_MARK = '\xef\xbb\xbf'

/** `text` is a byte string (latin1). Never fails: lines that cannot be split become problems. */
export function readConfLines(text: string, file: string): ConfLines {
  const lines: ConfLine[] = []
  const problems: Problem[] = []
  const rows = (text.startsWith(UTF8_MARK) ? text.slice(UTF8_MARK.length) : text).split('\n')
  rows.forEach((row, index) => {
    const trimmed = row.replace(/^[ \t\r]+|[ \t\r]+$/g, '')
    if (trimmed === '' || trimmed.startsWith('#')) return
    const place = { file, line: index + 1, column: row.indexOf(trimmed) + 1 }
    const words = splitArgs(trimmed)
    if (words === undefined) problems.push(unbalanced(place))
    else addLine(lines, place, words)
  })
  return { lines, problems }
}

/** `argv` as the shell gives it, in ordinary text: `--directive value … --directive value …`. */
export function readOverrides(argv: readonly string[]): ConfLines {
  const lines: ConfLine[] = []
  const problems: Problem[] = []
  let words: string[] = []
  for (const argument of argv) {
    if (argument.startsWith('--')) {
      addLine(lines, ON_COMMAND_LINE, words)
      words = [argument.slice(2)]
    } else if (words.length > 0) words.push(utf8Bytes(argument))
    else problems.push(stray(argument))
  }
  addLine(lines, ON_COMMAND_LINE, words)
  return { lines, problems }
}

/** An error about a whole line. */
export function lineError(
  { file, line, column, directive }: ConfLine,
  code: ProblemCode,
  message: string,
  hint = '',
): Problem {
  return { severity: 'error', code, file, line, column, path: directive, message, hint }
}

export function locationOfLine(line: ConfLine, path: string): Location {
  return { line: line.line, column: line.column, path }
}

const ON_COMMAND_LINE = { file: COMMAND_LINE, line: undefined, column: undefined }

type Place = Pick<ConfLine, 'file' | 'line' | 'column'>

function addLine(lines: ConfLine[], place: Place, words: readonly string[]): void {
  const [directive, ...args] = words
  if (directive !== undefined) lines.push({ ...place, directive: directive.toLowerCase(), args })
}

function unbalanced(place: Place): Problem {
  return {
    severity: 'error',
    code: 'E_SYNTAX',
    ...place,
    path: '',
    message: 'Unbalanced quotes in configuration line',
    hint: 'close the quote, and put a blank after it',
  }
}

function stray(argument: string): Problem {
  return {
    severity: 'error',
    code: 'E_SYNTAX',
    ...ON_COMMAND_LINE,
    path: argument,
    message: 'a value without a directive',
    hint: 'overrides are written --directive value',
  }
}
