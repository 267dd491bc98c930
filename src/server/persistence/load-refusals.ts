/**
 * Why the data cannot be loaded when the node starts, and the way out of it: each cause has its own, because
 * what helps against one of them may cost the data with another. docs/operations-run.md has the same table.
 */
import type { FileFailure } from './files.ts'
import type { LoadRefused } from './load-result.ts'

const START_EMPTY = 'move it away to start without data'
const FROM_MASTER = 'move it away and let the node copy the data from its master'

const WAYS_OUT = {
  damaged: `Put a sound copy in its place, or ${START_EMPTY}; redis-check-rdb shows what can be read of it.`,
  foreign: `Name the right file with dbfilename and dir, or ${START_EMPTY}.`,
  newer: `Start it with the server that wrote it or with a newer Vedette, or ${FROM_MASTER}.`,
  database: 'Give databases in the configuration a greater number.',
  unsupported:
    'Load it with the server that wrote it, remove this key or library there, and save again; or ' +
    `${FROM_MASTER}.`,
  damagedBase: `Put a sound copy in its place, or ${FROM_MASTER}: redis-check-aof cannot mend it.`,
  damagedLog:
    "Keep a copy of the files; redis-check-aof shows how far they can be read, and 'redis-check-aof --fix " +
    "MANIFEST' cuts off the rest.",
  damagedMiddle:
    'Put a sound copy in its place: redis-check-aof mends only the last file, and what the later ones say ' +
    'builds upon this one.',
  torn:
    'Set aof-load-truncated to yes to start without this end, or cut it off with ' +
    "'redis-check-aof --fix MANIFEST'.",
  damagedManifest:
    'Put a sound copy in its place, or write it anew: one line "file NAME seq NUMBER type b" for the base and ' +
    'one with "type i" for each increment, in their order.',
  missing: `Put it back from a copy, or move the folder away and let the node copy the data from its master.`,
  unknownCommand:
    'Start it with a server that knows the command: one that is newer, has the module, or has the same ' +
    'rename-command.',
  forbidden:
    'Give the user of this process the right to it (chown, chmod; under systemd also User=).',
  folder: 'Move away what stands in its place, or give the file another name in the configuration.',
  disk: 'Look after the disk first (dmesg); then try again, or put a sound copy on another one.',
} as const

export type RefusalCause = keyof typeof WAYS_OUT

export interface LoadFault {
  readonly cause: RefusalCause
  /** What is wrong and, inside of a file, where: half a sentence that follows the file's name. */
  readonly reason: string
}

export interface RefusedFile {
  readonly dir: string
  readonly path: string
  /** Of the append-only file. */
  readonly manifest?: string
}

/** What helps against it, where the append-only file has no part in it. */
export function wayOutOf(cause: RefusalCause): string {
  return WAYS_OUT[cause]
}

/** For the operator: what is wrong, where, and what to do about it. One line. */
export function refusedFile(file: RefusedFile, { cause, reason }: LoadFault): LoadRefused {
  const { dir, path, manifest = '' } = file
  const wayOut = WAYS_OUT[cause].replace('MANIFEST', manifest)
  const text = `the data cannot be loaded: ${dir}/${path} ${reason}. Nothing was changed. ${wayOut}`
  return { kind: 'refused', text, about: { path, reason, wayOut } }
}

/** A file that the system does not let us read. */
export function unreadFile(failure: FileFailure, offset = 0): LoadFault {
  switch (failure.code) {
    case 'EACCES':
    case 'EPERM':
      return { cause: 'forbidden', reason: `may not be read by this process: ${failure.text}` }
    case 'EISDIR':
      return { cause: 'folder', reason: `is a folder, not a file: ${failure.text}` }
    case 'ENOTDIR':
      return { cause: 'folder', reason: `is below a file, not a folder: ${failure.text}` }
    default:
      return { cause: 'disk', reason: `cannot be read at byte ${offset}: ${failure.text}` }
  }
}
