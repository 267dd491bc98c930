/**
 * The source package of Redis, from where the machine's other packages come. Most machines have no entries for source
 * packages: so apt gets, for this one call, its own entries as such ones, and folders of ours for what it learns.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const APT = '/etc/apt'
const LISTS = [join(APT, 'sources.list'), ...entriesOf(join(APT, 'sources.list.d'))]

/** Something that the machine does not have, and a message that says how to get it. */
export class Lacking extends Error {}

/** The archive, in the folder. Throws a `Lacking`. */
export function downloadedArchive(folder) {
  const parts = sourceEntries(folder)
  const lists = join(folder, 'lists')
  mkdirSync(join(lists, 'partial'), { recursive: true })
  const settings = [
    'Dir::Etc::sourcelist=/dev/null',
    `Dir::Etc::sourceparts=${parts}`,
    `Dir::State::lists=${lists}`,
    // It would give up root's rights for a user that must not write here.
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting])
  // One list of the machine that has no source packages fails the whole update, and does not matter.
  const lacks = aptProblem([...settings, 'update'], folder)
  const problem = aptProblem([...settings, 'source', '--download-only', 'redis'], folder)
  if (problem !== undefined) {
    throw new Lacking(`cannot get the source package of Redis: ${lacks ?? problem}\n${INSTEAD}`)
  }
  const name = readdirSync(folder).find((file) => file.includes('.orig.tar'))
  if (name === undefined) throw new Lacking(`apt-get has no source package of Redis\n${INSTEAD}`)
  return join(folder, name)
}

const INSTEAD = '  Give the folder or the archive of its source with --source.'

function aptProblem(words, cwd) {
  try {
    execFileSync('apt-get', words, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function reasonOf(error) {
  const line = `${error.stderr ?? ''}`.split('\n').find((text) => text.startsWith('E:'))
  return line?.slice(2).trim() ?? error.message
}

function entriesOf(folder) {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

/** Both forms of entries: a line that begins with `deb`, and a paragraph with `Types: deb`. */
function sourceEntries(folder) {
  const parts = join(folder, 'entries')
  mkdirSync(parts)
  for (const list of LISTS.filter((path) => existsSync(path))) {
    const text = readFileSync(list, 'utf8').replace(/^(Types:\s*|)deb(?=\s)/gm, '$1deb-src')
    writeFileSync(join(parts, basename(list)), text)
  }
  return parts
}
