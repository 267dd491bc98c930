/** One connection as CLIENT LIST and CLIENT INFO show it. */
import { clientFlags, lineOf } from '../../session/client-line.ts'
import { redirectOf } from '../../session/tracking.ts'
import type { ClientSession } from './session.ts'
import { wordsBytes } from './transactions.ts'

/** `nowMs` is monotonic. */
export function clientLine(session: ClientSession, nowMs: number): string {
  const transaction = session.transaction ?? session.runs
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
    obl: session.pendingOutputBytes,
    argvMem: wordsBytes(session.postponed ?? session.blockedRun?.argv ?? []),
    multiMem: transaction?.bytes ?? 0,
    omem: session.pendingOutputBytes,
    // As it was counted last; never less than what is known to wait now.
    totMem: Math.max(
      session.counted.bytes,
      session.decoder.pendingBytes + session.pendingOutputBytes,
    ),
    redir: redirectOf(session),
  })
}
