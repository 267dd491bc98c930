/** Short ways to write down what goes over the wire in tests. */
import { encodeReply } from '../../src/resp/encode.ts'
import { bulk, bulkMap, bulks } from '../../src/resp/reply.ts'

/** A bulk string. */
export function wireBulk(bytes: string): string {
  return encodeReply(bulk(bytes), 2)
}

/** An array of bulk strings. */
export function wireBulks(...texts: readonly string[]): string {
  return encodeReply(bulks(texts), 2)
}

/** A RESP2 map of bulk strings, written as `name value name value`. */
export function wireMap(...words: readonly string[]): string {
  const pairs = []
  for (let at = 0; at < words.length; at += 2) {
    pairs.push([words[at] ?? '', words[at + 1] ?? ''] as const)
  }
  return encodeReply(bulkMap(pairs), 2)
}
