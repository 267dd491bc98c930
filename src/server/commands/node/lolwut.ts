/**
 * LOLWUT: the version, and for versions 5 and 6, whose drawings programs ask for by number, a skyline
 * drawn by chance. Tools use it to tell which server they talk to.
 */
import type { Rng } from '../../../base/rng.ts'
import type { Reply } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { command } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { NOT_AN_INTEGER } from '../../errors.ts'
import { REDIS_VERSION } from '../../version.ts'

const DRAWN_VERSIONS: readonly number[] = [5, 6]
/** As bytes of UTF-8: the blank, and blocks from an eighth to a whole. */
const BLOCKS = [
  ' ',
  ...Array.from({ length: 8 }, (_, height) => `\xe2\x96${String.fromCharCode(0x81 + height)}`),
]
const COLUMNS = 64
const MAX_COLUMNS = 1000
const ROWS = 8

/** `LOLWUT [VERSION n [columns …]]`. */
function lolwut({ node }: CommandContext, argv: readonly string[]): Reply {
  const hasVersion = argv[1]?.toLowerCase() === 'version' && argv.length > 2
  const version = hasVersion ? parseInteger(argv[2]) : 0
  if (version === undefined) return NOT_AN_INTEGER
  const isDrawn = DRAWN_VERSIONS.includes(version)
  // Only a drawing asks for its size.
  const sizes = isDrawn ? argv.slice(3).map(parseInteger) : []
  if (sizes.includes(undefined)) return NOT_AN_INTEGER
  const [columns = COLUMNS] = sizes
  const width = Math.min(MAX_COLUMNS, Math.max(1, columns))
  const drawing = isDrawn ? `${skyline(node.rng, width)}\n\n` : ''
  return { kind: 'verbatim', format: 'txt', text: `${drawing}Redis ver. ${REDIS_VERSION}\n` }
}

/** Houses of some columns each, with a gap between them. */
function skyline(rng: Rng, columns: number): string {
  const heights: number[] = []
  while (heights.length < columns) {
    const height = 8 + rng.below(7 * ROWS)
    heights.push(...Array.from({ length: 2 + rng.below(5) }, () => height), 0)
  }
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const floor = 8 * (ROWS - 1 - row)
    const block = (height: number) => BLOCKS[Math.min(8, Math.max(0, height - floor))] ?? ''
    return heights.slice(0, columns).map(block).join('')
  })
  return rows.join('\n')
}

export const lolwutCommand = command('lolwut', -1, 'readonly fast', [], lolwut)
