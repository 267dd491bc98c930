/** Commands whose answer depends on something slow, as the disk is: the client waits, and nobody else. */
import { error, type Reply } from '../../resp/reply.ts'
import type { CommandContext } from '../context.ts'

/** CLIENT UNBLOCK ends the waiting, not what is waited for. */
const GOES_ON = error('ERR this client waits no longer, what it asked for goes on')

/**
 * `start` is given what answers the client, now or later, and once. Gives the reply when it is known
 * already; otherwise the client waits for it and sends nothing else meanwhile.
 */
export function replyLater(
  { node, session }: CommandContext,
  start: (answer: (reply: Reply) => void) => void,
): Reply | undefined {
  let known: Reply | undefined
  const wait = { deadlineMs: undefined, onTimeout: () => GOES_ON, wait: undefined }
  let isWaiting = false
  start((reply) => {
    if (!isWaiting) known = reply
    else if (session.blocked === wait) node.unblock(session, reply)
  })
  if (known !== undefined) return known
  isWaiting = true
  node.blocking.block(session, wait)
  return undefined
}
