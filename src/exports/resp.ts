/**
 * `vedette/resp`: the RESP codec of Vedette's Sentinel and data node, RESP2 and RESP3, without any input or
 * output of its own. It takes what arrives in pieces of any size, allocates nothing from an announced length,
 * and keeps to limits.
 *
 * Bytes are strings in which every character is one byte (latin1): `buffer.toString('latin1')` makes them,
 * `Buffer.from(text, 'latin1')` takes them back.
 *
 * @example
 * ```ts
 * import { connect } from 'node:net'
 * import { encodeCommand, ReplyDecoder } from 'vedette/resp'
 *
 * const socket = connect(6379)
 * const replies = new ReplyDecoder()
 * socket.setEncoding('latin1').on('data', (bytes: string) => {
 *   replies.push(bytes)
 *   for (let reply = replies.next(); reply !== undefined; reply = replies.next()) {
 *     if (reply.kind === 'malformed') socket.destroy(new Error(reply.text))
 *     else console.log(reply)
 *   }
 * })
 * socket.write(encodeCommand(['GET', 'key']), 'latin1')
 * ```
 *
 * @packageDocumentation
 */
export { encodeCommand, encodeReply } from '../resp/encode.ts'
export type { Protocol, Reply } from '../resp/reply.ts'
export { type Malformed, ReplyDecoder, type ReplyLimits } from '../resp/reply-decoder.ts'
export { type Request, RequestDecoder, type RequestLimits } from '../resp/request-decoder.ts'
