/** BITOP: combines strings bit by bit. A shorter string counts as if zeros followed it. */
import { unreachable } from '../../../base/assert.ts'
import type { ByteCodec } from '../../../base/byte-codec.ts'
import { integer, type Reply } from '../../../resp/reply.ts'
import { arg } from '../../catalogue/command.ts'
import type { CommandContext } from '../../context.ts'
import { BITOP_NOT_SINGLE, SYNTAX_ERROR, WRONG_TYPE } from '../../errors.ts'
import { LONG_BYTES, LongString, viewOf } from '../../values/long-string.ts'
import { type StringValue, TextString } from '../../values/value.ts'
import { storeResult } from '../store-result.ts'
import { BLOCK_BYTES, Block, type Bytes, copyPart } from './bit-blocks.ts'

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
  return new TextString(codec.text(bytes), true)
}

/** Every block is combined in its place in the result, so that the memory of a long one is touched once. */
function combined(codec: ByteCodec, operation: Operation, sources: readonly Bytes[]): Uint8Array {
  const length = sources.reduce((longest, source) => Math.max(longest, source.length), 0)
  const words = new Int32Array(Math.ceil(length / 4))
  const run = new CombinedBlocks(codec, operation, sources)
  for (let at = 0; at < length; at += BLOCK_BYTES) {
    run.writeTo(words.subarray(at / 4, (at + BLOCK_BYTES) / 4), at)
  }
  return new Uint8Array(words.buffer, 0, length)
}

class CombinedBlocks {
  readonly #codec: ByteCodec
  readonly #operation: Operation
  readonly #first: Bytes
  readonly #others: readonly Bytes[]
  readonly #block: Block

  constructor(codec: ByteCodec, operation: Operation, sources: readonly Bytes[]) {
    const [first = '', ...others] = sources
    this.#codec = codec
    this.#operation = operation
    this.#first = first
    this.#others = others
    this.#block = new Block(codec)
  }

  /** Combines what the sources have from the byte `from` on, as many words as there are, which are zero before. */
  writeTo(words: Int32Array, from: number): void {
    const to = from + words.byteLength
    copyPart(this.#codec, this.#first, from, to, words)
    if (this.#operation === 'NOT') invert(words)
    for (const other of this.#others) {
      this.#block.load(other, from, to)
      combine(this.#operation, words, this.#block.words)
    }
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
