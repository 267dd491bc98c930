/**
 * apt for one errand: with entries made from the machine's own, and with folders of ours for what it learns, so that
 * nothing on the machine changes.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const ETC_APT = '/etc/apt'
const LISTS = [join(ETC_APT, 'sources.list'), ...entriesOf(join(ETC_APT, 'sources.list.d'))]

/** Something that the machine does not have, and a message that says how to get it. */
export class Lacking extends Error {}

/**
 * Two functions that run apt-get and apt-cache in the folder, with the machine's entries as `change` makes them of the
 * text of each file; an empty text leaves it out. Both return what the program printed, or throw an Error with its reason.
 */
export function aptIn(folder, change) {
  const settings = settingsIn(folder, change)
  return {
    get: (...words) => printed('apt-get', [...settings, ...words], folder),
    cache: (...words) => printed('apt-cache', [...settings, ...words], folder),
  }
}

function settingsIn(folder, change) {
  const [lists, archives, entries] = ['lists', 'cache/archives', 'entries'].map((name) =>
    join(folder, name),
  )
  for (const place of [lists, archives]) mkdirSync(join(place, 'partial'), { recursive: true })
  mkdirSync(entries, { recursive: true })
  for (const list of LISTS.filter((path) => existsSync(path))) {
    writeFileSync(join(entries, basename(list)), change(readFileSync(list, 'utf8')))
  }
  return [
    'Dir::Etc::sourcelist=/dev/null',
    `Dir::Etc::sourceparts=${entries}`,
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    // It would give up root's rights for a user that must not write here.
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting])
}

function entriesOf(folder) {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

function printed(command, words, cwd) {
  try {
    return execFileSync(command, words, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw new Error(reasonOf(error))
  }
}

function reasonOf(error) {
  const line = `${error.stderr ?? ''}`.split('\n').find((text) => text.startsWith('E:'))
  return line?.slice(2).trim() ?? error.message
}
