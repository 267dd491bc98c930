/** Short ways to write down what goes over the wire in tests. */
import { encodeCommand, encodeReply } from '../../src/resp/encode.ts'
import { bulk, bulkMap, bulks } from '../../src/resp/reply.ts'

/** Requests, each written as on a command line without quotes. */
export function wireCommands(...lines: readonly string[]): string {
  return lines.map((line) => encodeCommand(line.split(' '))).join('')
}

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
