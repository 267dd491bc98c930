/** One connection as CLIENT LIST and CLIENT INFO show it. */
import { encodeCommand } from '../../resp/encode.ts'
import { clientFlags, lineOf } from '../../session/client-line.ts'
import { redirectOf } from '../../session/tracking.ts'
import type { NodePort } from '../port.ts'
import type { ClientSession } from './session.ts'
import { wordsBytes } from './transactions.ts'

/** What Redis would put into one block of a reply that waits. */
const BLOCK_BYTES = 16 * 1024

/**
 * `nowMs` is monotonic. `request`: the words of the command that shows this connection, if it came from
 * there; they count as not dealt with yet.
 */
export function clientLine(
  { port }: { readonly port: Pick<NodePort, 'queuedBytes'> },
  session: ClientSession,
  nowMs: number,
  request?: readonly string[],
): string {
  const outputBytes = session.pendingOutputBytes + port.queuedBytes(session.id)
  const transaction = session.transaction ?? session.runs
  const words = session.postponed ?? session.blockedRun?.argv ?? request
  const flags = clientFlags({
    O: session.isMonitor,
    S: session.kind === 'replica',
    M: session.kind === 'master',
    P: session.isSubscribed,
    x: transaction !== undefined,
    b: session.blocked !== undefined || session.postponed !== undefined,
    t: session.tracking !== undefined,
    R: session.isRedirectBroken,
    B: session.tracking?.mode === 'bcast',
    d: session.watch?.isBroken === true,
    c: session.isClosing,
    U: session.ends.remotePort === 0 && session.ends.remoteHost.startsWith('/'),
    e: session.noEvict,
  })
  return lineOf(session, nowMs, {
    flags,
    fd: session.id,
    db: session.db,
    ssub: session.shardChannels.size,
    multi: transaction?.queue.length ?? -1,
    qbuf:
      session.decoder.pendingBytes + (request === undefined ? 0 : encodeCommand(request).length),
    obl: session.pendingOutputBytes,
    oll: Math.ceil(outputBytes / BLOCK_BYTES),
    argvMem: words === undefined ? 0 : wordsBytes(words),
    multiMem: transaction?.bytes ?? 0,
    omem: outputBytes,
    // As it was counted last; never less than what is known to wait now.
    totMem: Math.max(session.counted.bytes, session.decoder.pendingBytes + outputBytes),
    redir: redirectOf(session),
  })
}
