/** The facts an RDB file carries beside the data: who wrote it when, and where the data stand in a history. */
import { parseInt64 } from '../../base/decimal.ts'
import { REDIS_VERSION } from '../version.ts'
import type { PersistenceHost, SavedPosition } from './host.ts'

/** Of a file that is written now; `isAofBase`: the append-only file goes on from it. */
export function auxFields(host: PersistenceHost, isAofBase: boolean): [string, string][] {
  return [
    ['redis-ver', REDIS_VERSION],
    ['redis-bits', '64'],
    ['ctime', String(Math.floor(host.now.wallMs / 1000))],
    ['used-mem', String(host.port.processFacts().usedBytes)],
    ...(isAofBase ? [] : positionFields(host.position())),
    ['aof-base', isAofBase ? '1' : '0'],
  ]
}

function positionFields(position: SavedPosition | undefined): [string, string][] {
  if (position === undefined) return []
  return [
    ['repl-stream-db', String(position.streamDb)],
    ['repl-id', position.id],
    ['repl-offset', String(position.offset)],
  ]
}

/** Undefined: the file says nothing of a history, or nothing that makes sense. */
export function savedPosition(
  aux: ReadonlyMap<string, string>,
  databases: number,
): SavedPosition | undefined {
  const id = aux.get('repl-id') ?? ''
  const offset = parseInt64(aux.get('repl-offset') ?? '')
  const streamDb = parseInt64(aux.get('repl-stream-db') ?? '0')
  if (!/^[0-9a-f]{40}$/i.test(id) || typeof offset !== 'number' || offset < 0) return undefined
  // Redis writes -1 where its stream has selected none yet.
  const isDb = typeof streamDb === 'number' && streamDb >= 0 && streamDb < databases
  return { id, offset, streamDb: isDb ? streamDb : 0 }
}
