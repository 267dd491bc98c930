/**
 * The name of the sources that a build is made from: the first eight digits of the id that git gives the
 * folder src. It is the same on each machine, with and without git, and leads back to the commits:
 * `git log -t --find-object=ID -- src`.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export function buildIdOf(folder) {
  return treeOf(folder).toString('hex').slice(0, 8)
}

/** git orders a folder as if its name ended with a slash. */
function treeOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
    .map((entry) => ({ name: entry.name, order: `${entry.name}${entry.isDirectory() ? '/' : ''}` }))
    .sort((one, other) => Buffer.compare(Buffer.from(one.order), Buffer.from(other.order)))
  return objectId('tree', Buffer.concat(entries.map(({ name }) => entryOf(folder, name))))
}

function entryOf(folder, name) {
  const path = join(folder, name)
  const stat = statSync(path)
  const [kind, id] = stat.isDirectory()
    ? ['40000', treeOf(path)]
    : [stat.mode & 0o100 ? '100755' : '100644', objectId('blob', readFileSync(path))]
  return Buffer.concat([Buffer.from(`${kind} ${name}\0`), id])
}

function objectId(type, content) {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest()
}
