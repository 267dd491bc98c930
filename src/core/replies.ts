/** A reply comes back with the purpose its command was sent for; here it finds its mechanism. */
import { unreachable } from '../base/assert.ts'
import type { Reply } from '../resp/reply.ts'
import { noteAnswer } from './ask.ts'
import { checkDown, checkOdown } from './down.ts'
import { driveFailover } from './failover.ts'
import { onInfoReply } from './observe.ts'
import { notePingReply } from './ping.ts'
import type { Purpose } from './purpose.ts'
import type { Connection, Instance, Turn } from './state.ts'
import { log } from './turn.ts'

export function onReply(turn: Turn, connection: Connection, purpose: Purpose, reply: Reply): void {
  const { instance } = connection
  connection.pending = Math.max(0, connection.pending - 1)
  switch (purpose.kind) {
    case 'ping':
      notePingReply(turn, instance, reply)
      return checkDown(turn, instance)
    case 'info':
      return instance.kind === 'sentinel' ? undefined : onInfoReply(turn, instance, reply)
    case 'hello':
      return onHelloReply(turn, instance, reply)
    case 'ask':
      return onAnswer(turn, instance, purpose, reply)
    case 'setup':
    case 'subscribe':
    case 'slaveof':
      return logRefusal(turn, instance, purpose, reply)
    default:
      return unreachable(purpose)
  }
}

function onHelloReply(turn: Turn, instance: Instance, reply: Reply): void {
  instance.helloPending = false
  if (reply.kind === 'error') return logRefusal(turn, instance, { kind: 'hello' }, reply)
}

function onAnswer(
  turn: Turn,
  instance: Instance,
  purpose: Purpose & { readonly kind: 'ask' },
  reply: Reply,
): void {
  if (instance.kind !== 'sentinel') return
  noteAnswer(turn, instance, purpose, reply)
  checkOdown(turn, instance.group)
  driveFailover(turn, instance.group)
}

/** Nothing is decided by these replies, but an operator must be able to read why nothing happens. */
function logRefusal(turn: Turn, instance: Instance, purpose: Purpose, reply: Reply): void {
  if (reply.kind !== 'error') return
  const who = `${instance.kind} ${instance.name} (${instance.host}:${instance.port})`
  log(turn, 'warning', `${who} refused our ${purpose.kind}: ${reply.text}`)
}
