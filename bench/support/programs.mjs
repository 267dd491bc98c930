/** The programs that are compared: how each is started, and whether it is there. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { pathOf } from '../../scripts/paths.mjs'

const MAIN = pathOf('dist/cli/main.js')

/** `family` is vedette or redis, `role` server or sentinel; both families read the same files. */
export function commandFor(family, role, configPath) {
  if (family === 'redis') return { command: `redis-${role}`, args: [configPath] }
  return { command: process.execPath, args: [MAIN, role, configPath] }
}

/** The name a user knows it by. */
export function programName(family, role) {
  return family === 'redis' ? `redis-${role}` : `vedette ${role}`
}

/** Its version, or undefined when it is not installed. */
export function versionOf(command) {
  const { error, status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  if (error !== undefined || status !== 0) return undefined
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim()
}

export function vedetteVersion() {
  return JSON.parse(readFileSync(pathOf('package.json'), 'utf8')).version
}

/** Looks for commands; gives the versions of those that are there and the names of the others. */
export function findPrograms(commands) {
  const found = commands.map((command) => [command, versionOf(command)])
  return {
    versions: Object.fromEntries(found.filter(([, version]) => version !== undefined)),
    missing: found.filter(([, version]) => version === undefined).map(([command]) => command),
  }
}

/** False, with a word about what to do, when Vedette has not been compiled. */
export function isBuilt() {
  if (existsSync(MAIN)) return true
  console.error('dist/cli/main.js is missing: run `npm run build` first')
  return false
}
