/** The programs that are compared: how each is started, and whether it is installed. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pathOf } from '../../scripts/paths.mjs'

/** Older builds have only the second. */
const MAINS = ['launch/vedette.cjs', 'cli/main.js']

/** The folder of the compiled programs. */
let build = pathOf('dist')

/** Measures the programs in this folder instead of dist: another build, while work on ours goes on. */
export function useBuild(folder) {
  build = resolve(folder)
}

/** Imports a module of the build. Dynamic, because the build may not exist yet when this file is loaded. */
export function importBuilt(module) {
  return import(pathToFileURL(join(build, module)).href)
}

/** A file of the build. */
export function builtPath(path) {
  return join(build, path)
}

/** `family` is vedette or redis, `role` server or sentinel; both families read the same files. */
export function commandFor(family, role, configPath) {
  if (family === 'redis') return { command: `redis-${role}`, args: [configPath] }
  return { command: process.execPath, args: [mainProgram(), role, configPath] }
}

/** As users start it: from the bundle. */
function mainProgram() {
  const paths = MAINS.map((path) => join(build, path))
  return paths.find((path) => existsSync(path)) ?? paths[0]
}

/** The name a user knows it by. */
export function programName(family, role) {
  return family === 'redis' ? `redis-${role}` : `vedette ${role}`
}

/** Its version, or undefined if it is not installed. */
export function versionOf(command) {
  const { error, status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  if (error !== undefined || status !== 0) return undefined
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim()
}

export function vedetteVersion() {
  const { stdout } = spawnSync(process.execPath, [mainProgram(), '--version'], { encoding: 'utf8' })
  return stdout.trim()
}

/** Looks for commands; returns the versions of those that are installed and the names of the others. */
export function findPrograms(commands) {
  const found = commands.map((command) => [command, versionOf(command)])
  return {
    versions: Object.fromEntries(found.filter(([, version]) => version !== undefined)),
    missing: found.filter(([, version]) => version === undefined).map(([command]) => command),
  }
}

/** False, with a hint, if Vedette has not been compiled. */
export function isBuilt() {
  if (existsSync(mainProgram())) return true
  console.error(`${mainProgram()} is missing: run \`npm run build\` first`)
  return false
}
