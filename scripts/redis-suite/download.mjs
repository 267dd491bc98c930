/** The source package of Redis, from where the machine's other packages come. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { aptIn, Lacking } from '../apt.mjs'

const INSTEAD = '  Give the folder or the archive of its source with --source.'

/** The archive, in the folder. Throws a `Lacking`. */
export function downloadedArchive(folder) {
  const apt = aptIn(folder, asSources)
  // One list of the machine that has no source packages fails the whole update, and does not matter.
  const lacks = problemOf(() => apt.get('update'))
  const problem = problemOf(() => apt.get('source', '--download-only', 'redis'))
  if (problem !== undefined) {
    throw new Lacking(`cannot get the source package of Redis: ${lacks ?? problem}\n${INSTEAD}`)
  }
  const name = readdirSync(folder).find((file) => file.includes('.orig.tar'))
  if (name === undefined) throw new Lacking(`apt-get has no source package of Redis\n${INSTEAD}`)
  return join(folder, name)
}

/**
 * Most machines have no entries for source packages. Both forms of entries: a line that begins with `deb`, and a paragraph
 * with `Types: deb`.
 */
function asSources(text) {
  return text.replace(/^(Types:\s*|)deb(?=\s)/gm, '$1deb-src')
}

function problemOf(run) {
  try {
    run()
    return undefined
  } catch (error) {
    return error.message
  }
}
