/**
 * The dump that a data node would load: with a torn or foreign one it does not start. It is read as the node would read
 * it, value by value, but no value is kept: a dump may be larger than the memory of a check.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { utf8Text } from '../../base/utf8.ts'
import type { Problem } from '../../config/problem.ts'
import { reasonOf } from '../../io/start-error.ts'
import { type LoadFault, unreadFile, wayOutOf } from '../../server/persistence/load-refusals.ts'
import { faultText, type RdbProgress, RdbReader } from '../../server/rdb/rdb-reader.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { unkeptTables } from './unkept-entries.ts'

/** `place`: where the file names the dump. With an append-only file, a node loads nothing else. */
export function dumpProblems(
  settings: Settings,
  place: Pick<Problem, 'file' | 'line' | 'column' | 'path'>,
): readonly Problem[] {
  if (settings.flag('appendonly')) return []
  const path = join(utf8Text(settings.text('dir')), utf8Text(settings.text('dbfilename')))
  const fault = faultOf(path, settings)
  if (fault === undefined) return []
  const message = `${path} ${fault.reason}, and the node does not start with it`
  return [{ ...place, severity: 'error', code: 'E_DUMP', message, hint: wayOutOf(fault.cause) }]
}

/** Undefined: it is sound, there is none, or this user may not read it. */
function faultOf(path: string, settings: Settings): LoadFault | undefined {
  const file = opened(path)
  if (file === undefined) return undefined
  try {
    const read = readThrough(file, settings)
    return read.kind === 'damaged' ? { cause: read.cause, reason: faultText(read) } : undefined
  } catch (error) {
    // A folder opens, and cannot be read.
    const code = reasonOf(error)
    return unreadFile({ kind: 'failed', code, text: code })
  } finally {
    closeSync(file)
  }
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch {
    return undefined
  }
}

const READ_BYTES = 1024 * 1024

function readThrough(file: number, settings: Settings): RdbProgress {
  const dbs = unkeptTables(settings.int('databases'))
  const reader = new RdbReader(dbs, 0, undefined, settings.flag('rdbchecksum'))
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  for (;;) {
    const count = readSync(file, buffer, 0, READ_BYTES, null)
    const read = count === 0 ? reader.ended() : reader.push(buffer.toString('latin1', 0, count))
    if (read.kind !== 'more') return read
  }
}
