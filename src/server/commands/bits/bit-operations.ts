/** BITOP: combines strings bit by bit. A shorter string counts as if zeros followed it. */
import { unreachable } from '../../../base/assert.ts'
import type { ByteCodec } from '../../../base/byte-codec.ts'
import { integer, type Reply } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { BITOP_NOT_SINGLE, SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import { LONG_BYTES, LongString, viewOf } from '../../values/long-string.ts'
import type { StringValue } from '../../values/value.ts'
import { storeResult } from '../store-result.ts'
import { BLOCK_BYTES, Block, type Bytes } from './bit-blocks.ts'

type Operation = 'AND' | 'OR' | 'XOR' | 'NOT'

export function bitOp(context: CommandContext, argv: readonly string[]): Reply {
  const operation = arg(argv, 1).toUpperCase()
  if (!isOperation(operation)) return SYNTAX_ERROR
  const [target, ...keys] = argv.slice(2) as [string, ...string[]]
  if (operation === 'NOT' && keys.length !== 1) return BITOP_NOT_SINGLE
  const sources = sourcesOf(context, keys)
  if (sources === undefined) return WRONG_TYPE
  const { byteCodec } = context.node
  const bytes = combined(byteCodec, operation, sources)
  const value = bytes.length > 0 ? stringOf(byteCodec, bytes) : undefined
  storeResult(context, target, value, 'set')
  return integer(bytes.length)
}

function isOperation(word: string): word is Operation {
  return word === 'AND' || word === 'OR' || word === 'XOR' || word === 'NOT'
}

/** Undefined if one of them is not a string. */
function sourcesOf({ db }: CommandContext, keys: readonly string[]): Bytes[] | undefined {
  const sources: Bytes[] = []
  for (const key of keys) {
    const value = db.source(key)
    if (value !== undefined && value.type !== 'string') return undefined
    sources.push(value === undefined ? '' : viewOf(value))
  }
  return sources
}

/** A long result stays an array: it becomes text when that is needed. */
function stringOf(codec: ByteCodec, bytes: Uint8Array): StringValue {
  if (bytes.length > LONG_BYTES) return new LongString(codec, bytes)
  return { type: 'string', bytes: codec.text(bytes) }
}

function combined(codec: ByteCodec, operation: Operation, sources: readonly Bytes[]): Uint8Array {
  const length = sources.reduce((longest, source) => Math.max(longest, source.length), 0)
  const result = new Uint8Array(length)
  const run = new CombinedBlocks(codec, operation, sources)
  for (let at = 0; at < length; at += BLOCK_BYTES) {
    result.set(run.bytesOf(at, Math.min(at + BLOCK_BYTES, length)), at)
  }
  return result
}

class CombinedBlocks {
  readonly #operation: Operation
  readonly #sources: readonly Bytes[]
  readonly #result: Block
  readonly #source: Block

  constructor(codec: ByteCodec, operation: Operation, sources: readonly Bytes[]) {
    this.#operation = operation
    this.#sources = sources
    this.#result = new Block(codec)
    this.#source = new Block(codec)
  }

  /** The bytes from `from` to before `to`, a block at most; valid until the next call. */
  bytesOf(from: number, to: number): Uint8Array {
    const [first = '', ...rest] = this.#sources
    const words = this.#result.words
    this.#result.load(first, from, to)
    if (this.#operation === 'NOT') invert(words)
    for (const source of rest) {
      this.#source.load(source, from, to)
      combine(this.#operation, words, this.#source.words)
    }
    return this.#result.bytes.subarray(0, to - from)
  }
}

function invert(words: Int32Array): void {
  for (let at = 0; at < words.length; at++) words[at] = ~(words[at] as number)
}

function combine(operation: Operation, words: Int32Array, others: Int32Array): void {
  const { length } = words
  switch (operation) {
    case 'AND':
      for (let at = 0; at < length; at++) words[at] = (words[at] as number) & (others[at] as number)
      return
    case 'OR':
      for (let at = 0; at < length; at++) words[at] = (words[at] as number) | (others[at] as number)
      return
    case 'XOR':
      for (let at = 0; at < length; at++) words[at] = (words[at] as number) ^ (others[at] as number)
      return
    case 'NOT':
      return
    default:
      unreachable(operation)
  }
}
