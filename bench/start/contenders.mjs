/**
 * What is started: programs that listen, of both families and ours in three conditions, and programs that end,
 * bare Node first, since no program of ours can be quicker.
 */
import { join } from 'node:path'
import { builtPath } from '../support/programs.mjs'

const OURS = [
  { state: '', env: [] },
  // As right after an installation, or where nothing can be written.
  { state: ', nothing kept yet', env: ['CACHE_DIRECTORY'] },
  { state: ', from its modules', env: ['VEDETTE_MODULES'] },
]

/** `role` decides about the configuration file; `variables` are set to a new folder for each start. */
export const DAEMONS = ['sentinel', 'server'].flatMap((role) => [
  ...OURS.map(({ state, env }) => ({
    title: `vedette-${role}${state}`,
    role,
    variables: env,
    commandFor: (path) => [process.execPath, builtPath(`launch/vedette-${role}.cjs`), path],
  })),
  {
    title: `redis-${role}`,
    role,
    variables: [],
    isPeer: true,
    commandFor: (path) => [`redis-${role}`, path],
  },
])

export const BARE_NODE = 'node -e 0'

export const ANSWERS = [
  { title: BARE_NODE, command: () => [process.execPath, '-e', '0'] },
  {
    title: 'vedette --version',
    command: () => [process.execPath, builtPath('launch/vedette.cjs'), '--version'],
  },
]

/** The configuration of both families: a Sentinel with one group whose master is not there, or an empty node. */
export function configFor(role, folder, port) {
  const head = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, 'protected-mode no']
  const own = { sentinel: ['sentinel monitor mymaster 127.0.0.1 1 1'], server: ['save ""'] }
  return { path: join(folder, `${role}.conf`), text: `${[...head, ...own[role]].join('\n')}\n` }
}
