/**
 * What becomes of a command whose answer will not come, because its server is gone. A write may have been carried out,
 * so it is never sent a second time; what only reads, and what was queued before EXEC, is given to the next server.
 * A client that waits in a BLPOP or the like is closed, which says the same: every library knows what to do when the
 * connection of a blocked command breaks, and a worker that gets an error it does not know ends for good (Celery). So is a
 * client that sent a message: servers of socket.io look at no answer to PUBLISH, and an error without a handler ends them.
 */
import { encodeCommand } from '../resp/encode.ts'
import type { Asked } from './asked.ts'
import type { CommandKinds } from './command-kinds.ts'
import { UNANSWERED, WAIT_MOVED } from './proxy-errors.ts'

/** `again`: it is sent to the next server. `close`: its client is closed. Anything else is its answer. */
export function verdictOn(asked: Asked, kinds: CommandKinds): string {
  const { kind, transaction, bytes } = asked
  if (asked.isPartlyTold) return 'close'
  const isHere = transaction !== undefined && !transaction.isOver && transaction.ended === undefined
  if (kind === 'exec') return asked.instead ?? UNANSWERED
  if (kind === 'discard') return '+OK\r\n'
  if (transaction !== undefined && !isHere) {
    return asked.instead ?? (kind === 'multi' ? '+OK\r\n' : '+QUEUED\r\n')
  }
  if (kind === 'write' && !isHere) return kinds.isClosedAs(bytes) ? 'close' : UNANSWERED
  if (bytes === undefined) return UNANSWERED
  if (kind === 'wait' && !isHere) return WAIT_MOVED
  if (kind === 'subscribe' || kind === 'unsubscribe') {
    asked.bytes = encodeCommand(remaining(asked))
  }
  return 'again'
}

/** A server refused it because it is no master. Undefined: it is sent to the next one; otherwise this is its answer. */
export function verdictOnRefused({ kind, bytes, isQueued }: Asked): string | undefined {
  if (bytes === undefined) return UNANSWERED
  return kind === 'wait' && !isQueued ? WAIT_MOVED : undefined
}

/** The part of (un)subscribing that has not been confirmed. */
function remaining({ argv, repliesLeft }: Asked): readonly string[] {
  const [name = '', ...channels] = argv ?? []
  return [name, ...channels.slice(channels.length - repliesLeft)]
}

/** As it is sent to another server: EXEC with all that was queued. */
export function bytesForAnother(asked: Asked): string {
  const { kind, transaction, bytes = '' } = asked
  if (kind !== 'exec' || transaction === undefined) return bytes
  asked.skips = transaction.log.length
  return transaction.log.map((queued) => queued.bytes ?? '').join('') + bytes
}
