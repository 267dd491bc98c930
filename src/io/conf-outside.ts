/** What configuration files need to know of this machine: other files, programs and folders. */
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { matchesGlob } from '../base/glob.ts'
import { utf8Text } from '../base/utf8.ts'
import type { ConfOutside, Included } from '../config/conf-outside.ts'
import { systemReason } from './acl-file.ts'

/** Relative paths start at `home`, the folder the program was started in. */
export function nodeOutside(home: string): ConfOutside {
  return {
    include: (pattern, folder) => include(resolve(home, folder ?? '', utf8Text(pattern))),
    isExecutable: (path) => isExecutable(resolve(home, utf8Text(path))),
    folderFault: (path) => folderFault(resolve(home, path)),
  }
}

/** A plain path must be there; a pattern may fit nothing. */
function include(path: string): Included {
  const paths = /[*?[]/.test(path) ? expand(path) : [path]
  try {
    return { ok: true, files: paths.map((name) => ({ name, text: readFileSync(name, 'latin1') })) }
  } catch (error) {
    return { ok: false, path, reason: systemReason(error) }
  }
}

/** The paths an absolute pattern stands for, in order. As in a shell, `*` takes no name with a leading dot. */
export function expand(pattern: string): readonly string[] {
  const [root = '', ...parts] = pattern.split('/')
  return parts.reduce<readonly string[]>(
    (folders, part) => folders.flatMap((folder) => step(folder, part)),
    [root === '' ? '/' : root],
  )
}

function step(folder: string, part: string): readonly string[] {
  if (!/[*?[]/.test(part)) return exists(join(folder, part)) ? [join(folder, part)] : []
  return namesIn(folder)
    .filter((name) => name.startsWith('.') === part.startsWith('.') && matchesGlob(part, name))
    .map((name) => join(folder, name))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function folderFault(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return 'Not a directory'
    accessSync(path, constants.X_OK)
    return undefined
  } catch (error) {
    return systemReason(error)
  }
}
