/**
 * The facts that an RDB file carries beside the data: which program wrote it and when, and the position of the
 * data in a history.
 */
import { parseInt64 } from '../../base/decimal.ts'
import type { SavedPosition } from '../replication/history/history.ts'
import { REDIS_VERSION } from '../version.ts'
import type { PersistenceHost } from './host.ts'

const REPLICATION_ID = /^[0-9a-f]{40}$/i

/** The fields of a file that is written now; `isAofBase`: the append-only file continues after it. */
export function auxFields(host: PersistenceHost, isAofBase: boolean): [string, string][] {
  return [
    ['redis-ver', REDIS_VERSION],
    ['redis-bits', '64'],
    ['ctime', String(Math.floor(host.now.wallMs / 1000))],
    ['used-mem', String(host.port.processFacts().usedBytes)],
    ...(isAofBase ? [] : positionFields(host.replication.position())),
    ['aof-base', isAofBase ? '1' : '0'],
  ]
}

function positionFields(position: SavedPosition | undefined): [string, string][] {
  if (position === undefined) return []
  const { previous, master } = position
  return [
    ['repl-stream-db', String(position.streamDb)],
    ['repl-id', position.id],
    ['repl-offset', String(position.offset)],
    ...(previous === undefined ? [] : previousFields(previous)),
    ...(master === undefined ? [] : [['vedette-master', master] as [string, string]]),
  ]
}

/** Redis keeps no such facts, and skips fields it does not know. */
function previousFields({ id, secondOffset }: NonNullable<SavedPosition['previous']>) {
  const fields: [string, string][] = [
    ['vedette-replid2', id],
    ['vedette-second-repl-offset', String(secondOffset)],
  ]
  return fields
}

/** Undefined if the file says nothing about a history, or nothing that makes sense. */
export function savedPosition(
  aux: ReadonlyMap<string, string>,
  databases: number,
): SavedPosition | undefined {
  const id = aux.get('repl-id') ?? ''
  const offset = parseInt64(aux.get('repl-offset') ?? '')
  const streamDb = parseInt64(aux.get('repl-stream-db') ?? '0')
  if (!REPLICATION_ID.test(id) || typeof offset !== 'number' || offset < 0) return undefined
  // Redis writes -1 if its stream has not selected a database yet.
  const isDb = typeof streamDb === 'number' && streamDb >= 0 && streamDb < databases
  const previous = savedPrevious(aux, offset)
  return { id, offset, streamDb: isDb ? streamDb : 0, previous, master: aux.get('vedette-master') }
}

function savedPrevious(
  aux: ReadonlyMap<string, string>,
  offset: number,
): SavedPosition['previous'] {
  const id = aux.get('vedette-replid2') ?? ''
  const secondOffset = parseInt64(aux.get('vedette-second-repl-offset') ?? '')
  if (!REPLICATION_ID.test(id) || typeof secondOffset !== 'number') return undefined
  return secondOffset > 0 && secondOffset <= offset + 1 ? { id, secondOffset } : undefined
}
