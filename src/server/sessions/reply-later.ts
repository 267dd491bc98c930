/**
 * Commands whose answer needs something slow, such as the disk: only the client that sent one
 * waits.
 */
import { error, type Reply } from '../../resp/reply.ts'
import type { CommandContext } from '../context.ts'

/** CLIENT UNBLOCK ends the waiting, not the work that the client waits for. */
const GOES_ON = error('ERR this client waits no longer, what it asked for goes on')

interface LateReply {
  /** It acknowledges what was done to data, so voters of a strict group must have that first. Others are the node's own business. */
  readonly showsData: boolean
  /** What the client is told if the role of the node changes first; undefined: that it waits no longer. */
  readonly atRoleChange?: Reply
}

/**
 * `start` gets a function that answers the client, to be called once, now or later. Returns the
 * reply if it is known already; otherwise the client waits for it and no other request of the
 * client runs meanwhile.
 */
export function replyLater(
  { node, session }: CommandContext,
  start: (answer: (reply: Reply) => void) => void,
  { showsData, atRoleChange }: LateReply = { showsData: false },
): Reply | undefined {
  let known: Reply | undefined
  const wait = { deadlineMs: undefined, onTimeout: () => GOES_ON, wait: undefined, atRoleChange }
  let isWaiting = false
  start((reply) => {
    if (!isWaiting) known = reply
    else if (session.blocked === wait) {
      session.isPlain = !showsData
      node.blocking.unblock(session, reply)
      session.isPlain = false
    }
  })
  if (known !== undefined) return known
  isWaiting = true
  node.blocking.block(session, wait)
  return undefined
}
