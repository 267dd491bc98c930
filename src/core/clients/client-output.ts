/**
 * What goes out to a client. Kept apart from the sessions, so that code that sends something to a
 * client (events, commands) needs to know nothing about how requests are read.
 */
import { replyBytes } from '../../resp/encode.ts'
import type { Reply } from '../../resp/reply.ts'
import type { Turn } from '../state.ts'
import { emit } from '../turn.ts'
import type { Client } from './client.ts'

/**
 * Answers a client. CLIENT REPLY OFF and SKIP silence answers, never the events it subscribed to.
 */
export function respond(turn: Turn, client: Client, reply: Reply): void {
  if (reply.kind === 'error') turn.state.stats.errorReplies++
  if (client.replyMode !== 'on' && reply.kind !== 'push') return
  client.promisedBytes += replyBytes(reply)
  emit(turn, { kind: 'respond', client: client.id, protocol: client.protocol, reply })
}

/** Closes the connection once everything sent so far has been written. */
export function hangUp(turn: Turn, client: Client): void {
  client.isClosing = true
  turn.state.clients.delete(client.id)
  emit(turn, { kind: 'closeClient', client: client.id })
}
