/** One connection as CLIENT LIST and CLIENT INFO show it: Redis' fields in Redis' order. */
import { endpoint } from './addresses.ts'
import type { Session } from './session.ts'

/** `nowMs` is monotonic. */
export function clientLine(session: Session, nowMs: number): string {
  const { ends } = session
  const fields: [name: string, value: string | number][] = [
    ['id', session.id],
    ['addr', endpoint(ends.remoteHost, ends.remotePort)],
    ['laddr', endpoint(ends.localHost, ends.localPort)],
    // The machine knows no file descriptors; readers only want a number.
    ['fd', session.id],
    ['name', session.name],
    ['age', wholeSeconds(nowMs - session.connectedAtMs)],
    ['idle', wholeSeconds(nowMs - session.lastInputAtMs)],
    ['flags', flags(session)],
    ['db', session.db],
    ['sub', session.channels.size],
    ['psub', session.patterns.size],
    ['ssub', session.shardChannels.size],
    ['multi', session.transaction?.queue.length ?? -1],
    ['qbuf', session.decoder.pendingBytes],
    ['qbuf-free', 0],
    ['argv-mem', 0],
    ['multi-mem', 0],
    ['rbs', 0],
    ['rbp', 0],
    ['obl', session.pendingOutputBytes],
    ['oll', 0],
    ['omem', 0],
    ['tot-mem', session.decoder.pendingBytes + session.pendingOutputBytes],
    ['events', 'r'],
    ['cmd', session.lastCommand],
    ['user', session.account?.name ?? '(superuser)'],
    ['redir', -1],
    ['resp', session.protocol],
    ['lib-name', session.libraryName],
    ['lib-ver', session.libraryVersion],
  ]
  return fields.map(([name, value]) => `${name}=${value}`).join(' ')
}

function flags(session: Session): string {
  let letters = ''
  if (session.kind === 'replica') letters += 'S'
  if (session.kind === 'master') letters += 'M'
  if (session.isSubscribed) letters += 'P'
  if (session.transaction !== undefined) letters += 'x'
  if (session.blocked !== undefined || session.postponed !== undefined) letters += 'b'
  if (session.watch?.isBroken === true) letters += 'd'
  if (session.isClosing) letters += 'c'
  if (session.noEvict) letters += 'e'
  return letters === '' ? 'N' : letters
}

function wholeSeconds(durationMs: number): number {
  return Math.floor(durationMs / 1000)
}
