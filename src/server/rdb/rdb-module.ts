/**
 * What modules leave in RDB payloads. Their data are self-describing enough to be skipped, and the
 * id contains the module's name: nine letters of six bits, and a version of ten.
 */
import { damage, type Parse, type RdbInput } from './rdb-input.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** For messages: the module that an id belongs to. */
export function moduleText(id: bigint): string {
  let name = ''
  for (let shift = 10n; shift < 64n; shift += 6n) {
    name = LETTERS.charAt(Number((id >> shift) & 63n)) + name
  }
  return `module '${name}' (data version ${id & 1023n})`
}

const PIECE = { end: 0n, signed: 1n, unsigned: 2n, float: 3n, double: 4n, text: 5n } as const

/** Skips data that belong to no key; returns the module's name. */
export function* skipModuleData(input: RdbInput): Parse<string> {
  const module = moduleText(yield* input.length64())
  for (;;) {
    const piece = yield* input.length64()
    if (piece === PIECE.end) return module
    yield* skipPiece(input, piece)
  }
}

function* skipPiece(input: RdbInput, piece: bigint): Parse<unknown> {
  switch (piece) {
    case PIECE.signed:
    case PIECE.unsigned:
      return yield* input.length64()
    case PIECE.float:
      return yield* input.bytes(4)
    case PIECE.double:
      return yield* input.bytes(8)
    case PIECE.text:
      return yield* input.string()
    default:
      return yield* damage(`unknown kind ${piece} of module data`)
  }
}
