/**
 * What the readers of configuration files ask about this machine: other files, programs and
 * folders.
 */
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { matchesGlob } from '../../base/glob.ts'
import { utf8Text } from '../../base/utf8.ts'
import type { ConfOutside, Included, SecretText } from '../../config/config-filesystem.ts'
import { systemReason } from './acl-file.ts'
import { readText } from './text-file.ts'

/** Relative paths are relative to `home`, the folder the program was started in. */
export function nodeOutside(home: string): ConfOutside {
  return {
    include: (pattern, folder) => include(resolve(home, folder ?? '', utf8Text(pattern))),
    isExecutable: (path) => isExecutable(resolve(home, utf8Text(path))),
    // `resolve` would make the home of an empty path; no system call does.
    folderFault: (path) => folderFault(path && resolve(home, path)),
    variable: (name) => process.env[name],
    secretFile: (path) => secretFile(resolve(home, path)),
  }
}

/** A plain path must exist; a pattern may match nothing. */
function include(path: string): Included {
  const paths = /[*?[]/.test(path) ? expand(path) : [path]
  try {
    return { ok: true, files: paths.map((name) => ({ name, text: readText(name, 'latin1') })) }
  } catch (error) {
    return { ok: false, path, reason: systemReason(error) }
  }
}

/** The paths that an absolute pattern matches, in order. As in a shell, `*` does not match a leading dot. */
function expand(pattern: string): readonly string[] {
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

/** A secret is a word; a file that is longer is another one. */
const MAX_SECRET_BYTES = 64 * 1024

function secretFile(path: string): SecretText {
  try {
    const { size } = statSync(path)
    if (size > MAX_SECRET_BYTES) return { ok: false, reason: 'it is longer than 64 kB' }
    return { ok: true, text: readText(path, 'utf8') }
  } catch (error) {
    return { ok: false, reason: systemReason(error) }
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
