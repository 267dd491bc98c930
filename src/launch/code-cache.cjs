/**
 * What the engine has compiled of the bundle, kept for the next start. The first start that finds nothing
 * writes it, with just those functions in it that a start needs.
 *
 * The engine compares its own version, its flags and the length of the source, but not the source. So the
 * file is named after everything that must be the same, the content of the bundle first of all. It lies
 * beside the bundle, where whoever could plant something could change the programs themselves, or in the
 * folder that systemd gives to a service as its own (`CacheDirectory=`). Where neither can be written,
 * starts take longer, and that is all.
 */
'use strict'
const {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs')
const { join } = require('node:path')

/**
 * @typedef {object} CodeCacheOptions
 * @property {string} folder  Where the bundle is.
 * @property {string} source  Of the bundle. It begins with a comment that names its content.
 * @property {string} program
 * @property {string | undefined} argument  The program's first: each command needs other functions.
 */

/** A daemon's clients must not meet the pause. Its first connections are made by then. */
const DELAY_MS = 250
/** The exit status of a command line that says nothing: a mistyped command needs no file of its own. */
const EXIT_USAGE = 2
/** Commands that go on. One that ends before it listens has not run what a start needs. */
const DAEMONS = ['sentinel', 'server']

/** @param {CodeCacheOptions} options */
exports.openCodeCache = ({ folder: beside, source, program, argument = '' }) => {
  // [CACHE_DIRECTORY] A list with colons; our units ask for one folder.
  const [own] = (process.env.CACHE_DIRECTORY ?? '').split(':')
  const folder = own || join(beside, 'code-cache')
  const id = source.slice(3, 19)
  const isDaemon = program !== 'vedette' || DAEMONS.includes(argument)
  const name = nameOf(`${id}-${program}${program === 'vedette' ? commandOf(argument) : ''}`)
  const write = (/** @type {import('node:vm').Script} */ script) => {
    if (name !== undefined) writeWhole(folder, name, id, script)
  }
  return {
    /** Undefined if there is none. */
    cachedData: name === undefined ? undefined : read(join(folder, name)),

    /**
     * Writes it once a daemon has started, or when a program that only answers ends.
     * @param {import('node:vm').Script} script
     * @param {typeof import('./programs.ts')} programs
     */
    keepAfterStart(script, { onceStarted, withoutOwnFlags }) {
      onceStarted(() => setTimeout(() => withoutOwnFlags(() => write(script)), DELAY_MS).unref())
      if (isDaemon) return
      process.once('exit', (status) => {
        if (status !== EXIT_USAGE) write(script)
      })
    },
  }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} id
 * @param {import('node:vm').Script} script
 */
function writeWhole(folder, name, id, script) {
  const path = join(folder, name)
  // Replaced as a whole: another process may be reading it.
  const fresh = `${path}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true })
    const outdated = readdirSync(folder).filter((name) => isOutdated(name, id))
    for (const name of outdated) rmSync(join(folder, name), { force: true })
    writeFileSync(fresh, script.createCachedData())
    renameSync(fresh, path)
  } catch {
    // A folder that is not ours to write to, or a full disk: the next start takes as long as this one.
    removeQuietly(fresh)
  }
}

/** @param {string} path */
function removeQuietly(path) {
  try {
    rmSync(path, { force: true })
  } catch {
    // What cannot be removed could not be written.
  }
}

/**
 * Made from another content of the bundle. Other files may be in a service's folder.
 * @param {string} name
 * @param {string} id
 */
function isOutdated(name, id) {
  return /^[0-9a-f]{16}-vedette/.test(name) && !name.startsWith(`${id}-`)
}

/** @param {string} argument */
function commandOf(argument) {
  return /^-{0,2}[a-z-]{1,20}$/.test(argument) ? `.${argument}` : ''
}

/**
 * The engine rejects what was compiled with other flags. Undefined if they are too many for a name.
 * @param {string} start
 */
function nameOf(start) {
  const { execArgv, version, platform, arch, env } = process
  const flags = [...execArgv, env.NODE_OPTIONS ?? ''].filter((flag) => flag !== '').join('_')
  if (flags.length > 100) return undefined
  return [start, version, platform, arch, flags.replace(/[^\w.=-]/g, '_')].filter(Boolean).join('-')
}
