/**
 * LCS: the longest common subsequence of two strings, or its positions in them. The table of lengths
 * has a cell for every pair of positions; the answer is read from it backwards.
 */
import { array, bulk, error, integer, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'
import { toBytes } from '../../values/byte-array.ts'

const NOT_STRINGS = error('ERR The specified keys must contain string values')
const LEN_AND_IDX = error('ERR If you want both the length and indexes, please just use IDX.')
const TOO_LARGE = error(
  'ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len',
)
const CELL_BYTES = 4

interface LcsOptions {
  answersLength: boolean
  answersMatches: boolean
  showsMatchLengths: boolean
  minMatchLength: number
}

export function lcs(context: CommandContext, argv: readonly string[]): Reply {
  const a = stringAt(context, arg(argv, 1))
  const b = stringAt(context, arg(argv, 2))
  if (a === undefined || b === undefined) return NOT_STRINGS
  const options = parseOptions(argv)
  if ('kind' in options) return options
  if (options.answersLength && options.answersMatches) return LEN_AND_IDX
  const cells = (a.length + 1) * (b.length + 1)
  if (cells * CELL_BYTES > context.node.settings.int('proto-max-bulk-len')) return TOO_LARGE
  if (options.answersLength) return integer(lengthOf(a, b))
  const table = lengthsOf(a, b)
  const found = walkBack(a, b, table)
  return options.answersMatches ? matchesReply(found, options) : bulk(found.text)
}

function stringAt({ db }: CommandContext, key: string): string | undefined {
  const value = db.value(key)
  if (value === undefined) return ''
  return value.type === 'string' ? value.bytes : undefined
}

function parseOptions(argv: readonly string[]): LcsOptions | Reply {
  const options = {
    answersLength: false,
    answersMatches: false,
    showsMatchLengths: false,
    minMatchLength: 0,
  }
  for (let at = 3; at < argv.length; at++) {
    const word = arg(argv, at).toUpperCase()
    if (word === 'IDX') options.answersMatches = true
    else if (word === 'LEN') options.answersLength = true
    else if (word === 'WITHMATCHLEN') options.showsMatchLengths = true
    else if (word === 'MINMATCHLEN' && at + 1 < argv.length) {
      const length = parseInteger(argv[++at])
      if (length === undefined) return NOT_AN_INTEGER
      options.minMatchLength = length
    } else return SYNTAX_ERROR
  }
  return options
}

/** One row at a time is enough. */
function lengthOf(a: string, b: string): number {
  const codes = toBytes(b)
  let row = new Uint32Array(b.length + 1)
  let above = new Uint32Array(b.length + 1)
  for (let i = 1; i <= a.length; i++) {
    ;[row, above] = [above, row]
    fillRow(row, above, a.charCodeAt(i - 1), codes)
  }
  return row[b.length] as number
}

/** One row for every prefix of `a`, including the empty one. */
function lengthsOf(a: string, b: string): Uint32Array[] {
  const codes = toBytes(b)
  const table = [new Uint32Array(b.length + 1)]
  for (let i = 1; i <= a.length; i++) {
    const row = new Uint32Array(b.length + 1)
    fillRow(row, table[i - 1] as Uint32Array, a.charCodeAt(i - 1), codes)
    table.push(row)
  }
  return table
}

/** The innermost loop: the values read last are kept, so that each cell is read once. */
function fillRow(row: Uint32Array, above: Uint32Array, code: number, b: Uint8Array): void {
  let left = 0
  let aboveLeft = 0
  for (let j = 1; j <= b.length; j++) {
    const up = above[j] as number
    if (b[j - 1] === code) left = aboveLeft + 1
    else if (up > left) left = up
    row[j] = left
    aboveLeft = up
  }
}

/** A range in each string, of equal length; first and last position of both. */
interface Match {
  readonly aFrom: number
  readonly bFrom: number
  readonly length: number
}

interface Common {
  readonly text: string
  /** In reverse order. */
  readonly matches: readonly Match[]
}

function walkBack(a: string, b: string, table: readonly Uint32Array[]): Common {
  const codes: string[] = []
  const matches: Match[] = []
  let length = 0
  let [i, j] = [a.length, b.length]
  const endMatch = () => {
    if (length > 0) matches.push({ aFrom: i, bFrom: j, length })
    length = 0
  }
  while (i > 0 && j > 0) {
    if (a[i - 1] === b[j - 1]) {
      codes.push(a[i - 1] as string)
      length++
      i--
      j--
    } else {
      endMatch()
      if (cell(table, i - 1, j) > cell(table, i, j - 1)) i--
      else j--
    }
  }
  endMatch()
  return { text: codes.reverse().join(''), matches }
}

function cell(table: readonly Uint32Array[], i: number, j: number): number {
  return table[i]?.[j] as number
}

function matchesReply({ text, matches }: Common, options: LcsOptions): Reply {
  const shown = matches.filter(({ length }) => length >= options.minMatchLength)
  return {
    kind: 'map',
    entries: [
      [bulk('matches'), array(shown.map((match) => matchReply(match, options.showsMatchLengths)))],
      [bulk('len'), integer(text.length)],
    ],
  }
}

function matchReply({ aFrom, bFrom, length }: Match, showsLength: boolean): Reply {
  const range = (from: number) => array([integer(from), integer(from + length - 1)])
  return array([range(aFrom), range(bFrom), ...(showsLength ? [integer(length)] : [])])
}
