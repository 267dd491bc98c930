/**
 * LCS: the longest common subsequence of two strings, or its positions in them. The table of lengths
 * has a cell for every pair of positions; the answer is read from it backwards.
 */
import { PLAIN_BYTES } from '../../../base/byte-codec.ts'
import { array, bulk, error, integer, type Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../../errors.ts'

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

/** Two rows are enough, which take turns. */
function lengthOf(a: string, b: string): number {
  const table = new Table(2, b)
  for (let i = 1; i <= a.length; i++) table.fillRow(i % 2, 1 - (i % 2), a.charCodeAt(i - 1))
  return table.cell(a.length % 2, b.length)
}

/** One row for every prefix of `a`, including the empty one. */
function lengthsOf(a: string, b: string): Table {
  const table = new Table(a.length + 1, b)
  for (let i = 1; i <= a.length; i++) table.fillRow(i, i - 1, a.charCodeAt(i - 1))
  return table
}

/** Rows with a cell for every prefix of `b`, all in one array: a row may be a few cells long, and there may be millions. */
class Table {
  readonly #columns: number
  readonly #codes: Uint8Array
  readonly #cells: Uint32Array

  constructor(rows: number, b: string) {
    this.#columns = b.length + 1
    this.#codes = new Uint8Array(b.length)
    PLAIN_BYTES.copy(b, this.#codes)
    this.#cells = new Uint32Array(rows * this.#columns)
  }

  cell(row: number, column: number): number {
    return this.#cells[row * this.#columns + column] as number
  }

  /** The innermost loop: the values read last are kept, so that each cell is read once. */
  fillRow(row: number, aboveRow: number, code: number): void {
    const [cells, codes, columns] = [this.#cells, this.#codes, this.#columns]
    const [from, above] = [row * columns, aboveRow * columns]
    let [left, aboveLeft] = [0, 0]
    for (let j = 1; j < columns; j++) {
      const up = cells[above + j] as number
      if (codes[j - 1] === code) left = aboveLeft + 1
      else if (up > left) left = up
      cells[from + j] = left
      aboveLeft = up
    }
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

function walkBack(a: string, b: string, table: Table): Common {
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
      if (table.cell(i - 1, j) > table.cell(i, j - 1)) i--
      else j--
    }
  }
  endMatch()
  return { text: codes.reverse().join(''), matches }
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
