/** Starts a data node or a Sentinel of either family, from the same configuration file. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOST } from './ports.mjs'
import { commandFor, programName } from './programs.mjs'

/** `lines` are directives beyond port, bind and dir. Gives `{ port, member }`. */
export function startDaemon(workshop, { family, role, port, name, lines }) {
  const folder = workshop.createFolder(join(name, String(port)))
  const path = join(folder, role === 'sentinel' ? 'sentinel.conf' : 'redis.conf')
  const common = [`port ${port}`, `bind ${HOST}`, `dir ${folder}`]
  writeFileSync(path, `${[...common, ...lines].join('\n')}\n`)
  const title = `${programName(family, role)} ${port}`
  const member = workshop.spawn({ title, folder, ...commandFor(family, role, path) })
  return { port, member }
}

/** What all data nodes are told: no snapshots on disk, and no waiting for more replicas to ask. */
export const NODE_LINES = ['save ""', 'repl-diskless-sync-delay 0']
