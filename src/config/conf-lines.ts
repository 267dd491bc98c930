/**
 * The line format that redis.conf and sentinel.conf share: one directive per line, words with the
 * same quotes as inline commands, `#` for comments at the start of a line, `include` for the lines
 * of other files. Command-line overrides are lines in another form: `--port 26380` is the line
 * `port "26380"` after the end of the file, and `--include common.conf` includes a file there.
 */

import { quoted } from '../base/quote.ts'
import { splitArgs } from '../base/split-args.ts'
import { utf8Bytes } from '../base/utf8.ts'
import { type ConfOutside, NO_OUTSIDE } from './config-filesystem.ts'
import type { Fatal, LineFault } from './fatal.ts'
import type { Location, Problem, ProblemCode } from './problem.ts'

export interface ConfLine {
  readonly file: string
  /** Counted from 1; undefined on the command line. */
  readonly line: number | undefined
  /** Column of the first letter, counted from 1. */
  readonly column: number | undefined
  /** In lower case: directives are case-insensitive. */
  readonly directive: string
  readonly args: readonly string[]
  /** The line number Redis would give, and the text of the line. */
  readonly number: number
  readonly text: string
  /** Set if the line cannot be read at all: then it has no directive. */
  readonly fault: LineFault | undefined
}

export interface ConfLines {
  /** Includes those that cannot be read. */
  readonly lines: readonly ConfLine[]
  readonly problems: readonly Problem[]
  /** The last `dir`. */
  readonly folder: string | undefined
}

const COMMAND_LINE = 'command line'
const UTF8_MARK = '\xef\xbb\xbf'
/** Redis has no limit and goes on until its stack is full. */
const MAX_INCLUDES = 16

/** `text` is a byte string (latin1). Never fails: lines that cannot be read carry a fault. */
export function readConfLines(
  text: string,
  file: string,
  outside: ConfOutside = NO_OUTSIDE,
): ConfLines {
  const reading = newReading(outside, undefined)
  readFile(reading, text, file, 0)
  return finish(reading)
}

/**
 * `argv` as the shell passes it, in ordinary text: `--directive value … --directive value …`.
 * `number` is the number of the first line it makes, as Redis counts; `folder` the last `dir` of the file before it.
 */
export function readOverrides(
  argv: readonly string[],
  number: number,
  outside: ConfOutside,
  folder?: string,
): ConfLines {
  const reading = newReading(outside, folder)
  overridesText(argv)
    .split('\n')
    .forEach((row, index) => {
      const trimmed = trim(row)
      const place = { file: COMMAND_LINE, line: undefined, column: undefined }
      if (trimmed !== '') take(reading, toLine(trimmed, { ...place, number: number + index }), 0)
    })
  return finish(reading)
}

/** The number Redis gives to the first override: it joins the two texts with a line break. */
export function numberAfter(text: string): number {
  return text.split('\n').length + 1
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

/** For a line that is wrong: the words that are most likely meant otherwise. Empty: there are none. */
export function oddWordHint({ directive, args }: ConfLine): string {
  if (directive === 'user' && args.some(isAboutDatabases)) return NO_DATABASE_RULES
  return args.some(isComment) ? 'a comment needs a line of its own' : ''
}

/** Redis takes a comment behind the value for further words. A `user` line has hashes of passwords as well. */
function isComment(word: string): boolean {
  return word.startsWith('#') && !/^#[0-9a-f]{64}$/.test(word)
}

/** Rules of Valkey 9.1. `alldbs` is none of them: a user without such rules may use every database. */
function isAboutDatabases(rule: string): boolean {
  return /^\(?(?:db=|resetdbs\b)/i.test(rule)
}

export const NO_DATABASE_RULES =
  'db=… and resetdbs, of Valkey 9.1, cannot be kept here: take them out, and the user may use every database'

/** For a line with more words than its directive takes: a comment, or mostly a password. */
export function tooManyHint(line: ConfLine): string {
  return oddWordHint(line) || 'a value with blanks stands in quotes'
}

/** A notice about a line that is valid. */
export function lineNotice({ file, line, column, directive }: ConfLine, message: string): Problem {
  const code = 'W_IGNORED'
  return { severity: 'warning', code, file, line, column, path: directive, message, hint: '' }
}

/** How Redis would report a fault in a line. */
export function fatalOf({ number, text }: ConfLine, reason: string): Fatal {
  return { kind: 'line', number, text, reason }
}

export function locationOfLine(line: ConfLine, path: string): Location {
  return { file: line.file, line: line.line, column: line.column, path }
}

interface Reading {
  readonly outside: ConfOutside
  /** The last `dir`: Redis changes to it at once, and looks for files from there. */
  folder: string | undefined
  readonly lines: ConfLine[]
  /** Counted over this file and the files it includes, as far as they have been read. */
  bytes: number
  rows: number
}

/**
 * Limits for a file with everything it includes: files that include each other twice could make
 * thousands of millions of lines.
 */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_ROWS = 250_000

function newReading(outside: ConfOutside, folder: string | undefined): Reading {
  return { outside, folder, lines: [], bytes: 0, rows: 0 }
}

function finish({ lines, folder }: Reading): ConfLines {
  const problems = lines.flatMap(({ fault }) => (fault === undefined ? [] : [fault.problem]))
  return { lines, problems, folder }
}

function readFile(reading: Reading, text: string, file: string, depth: number): void {
  const rows = (text.startsWith(UTF8_MARK) ? text.slice(UTF8_MARK.length) : text).split('\n')
  const isFull = reading.bytes > MAX_BYTES || reading.rows > MAX_ROWS
  reading.bytes += text.length
  reading.rows += rows.length
  if (reading.bytes > MAX_BYTES || reading.rows > MAX_ROWS) {
    if (!isFull) reading.lines.push(tooMuch(file))
    return
  }
  rows.forEach((row, index) => {
    const trimmed = trim(row)
    if (trimmed === '' || trimmed.startsWith('#')) return
    const column = row.indexOf(trimmed) + 1
    take(reading, toLine(trimmed, { file, line: index + 1, column, number: index + 1 }), depth)
  })
}

function take(reading: Reading, line: ConfLine, depth: number): void {
  const [path, ...more] = line.args
  if (line.directive === 'include' && path !== undefined && more.length === 0) {
    includeFiles(reading, line, path, depth)
    return
  }
  if (line.directive === 'dir' && path !== undefined) reading.folder = path
  reading.lines.push(line)
}

function includeFiles(reading: Reading, line: ConfLine, path: string, depth: number): void {
  const refuse = (message: string, hint: string, fatal: Fatal) => {
    const problem = lineError(line, 'E_VALUE', message, hint)
    reading.lines.push({ ...line, directive: '', args: [], fault: { problem, fatal } })
  }
  if (depth >= MAX_INCLUDES) {
    const message = `files include each other more than ${MAX_INCLUDES} deep`
    return refuse(message, 'look for a file that includes itself', fatalOf(line, message))
  }
  const included = reading.outside.include(path, reading.folder)
  if (!included.ok) {
    const message = `can't open config file '${included.path}': ${included.reason}`
    return refuse(message, '', { kind: 'file', path: included.path, reason: included.reason })
  }
  for (const { name, text } of included.files) readFile(reading, text, name, depth + 1)
}

/** Nothing of the file counts: half a configuration is worse than none. */
function tooMuch(file: string): ConfLine {
  const message = `with what it includes, a configuration has at most ${MAX_ROWS} lines and 16 MiB`
  const place = { file, line: 1, column: 1, number: 1 }
  const line = { ...place, directive: '', args: [], text: '', fault: undefined }
  const problem = lineError(line, 'E_RANGE', message, 'look for a file that includes itself')
  return { ...line, fault: { problem, fatal: fatalOf(line, message) } }
}

type Place = Pick<ConfLine, 'file' | 'line' | 'column' | 'number'>

function toLine(text: string, place: Place): ConfLine {
  const words = splitArgs(text)
  const [directive = '', ...args] = words ?? []
  const line = { ...place, directive: directive.toLowerCase(), args, text, fault: undefined }
  if (words !== undefined) return line
  const message = 'Unbalanced quotes in configuration line'
  const hint = 'close the quote, and put a blank after it'
  const problem = lineError(line, 'E_SYNTAX', message, hint)
  return { ...line, fault: { problem, fatal: fatalOf(line, message) } }
}

/**
 * One line per option, exactly as Redis makes them, so that the options of a unit file keep their
 * meaning.
 */
function overridesText(argv: readonly string[]): string {
  let text = ''
  let mayBeName = true
  argv.forEach((argument, index) => {
    if (!mayBeName || !argument.startsWith('--')) {
      text += `${quoted(utf8Bytes(argument))} `
      mayBeName = true
      return
    }
    text += `${text === '' ? '' : '\n'}${utf8Bytes(argument.slice(2))} `
    const isLone = splitArgs(argument)?.length === 1
    const isBare = isLone && isNameOrEnd(argv[index + 1])
    if (isBare && argument.toLowerCase() === '--save') text += '""'
    // The word after an option's name is its value, even if it begins with two dashes.
    mayBeName = !isLone || (isBare && MAY_BE_BARE.includes(argument.toLowerCase()))
  })
  return text
}

const MAY_BE_BARE: readonly string[] = ['--save', '--sentinel']

function isNameOrEnd(argument: string | undefined): boolean {
  return argument === undefined || argument.startsWith('--')
}

function trim(row: string): string {
  return row.replace(/^[ \t\r]+|[ \t\r]+$/g, '')
}
