/**
 * Starts a program, from the bundle if there is one that can be trusted to be the compiled code of dist, and
 * otherwise from the modules of dist. `npm run build` makes both from the same sources (scripts/bundle.mjs).
 * Reading one file instead of hundreds, and keeping what the engine has compiled of it (code-cache.cjs), is
 * most of what a start costs beyond Node's own.
 *
 * Only for speed: whatever is missing, old or unreadable, the program starts. CommonJS, here and in the
 * files beside, since Node needs ten milliseconds before it runs its first ES module.
 */
'use strict'
const { readFileSync, statSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { Script } = require('node:vm')
const { openCodeCache } = require('./code-cache.cjs')
const { lazyRequire } = require('./lazy-require.cjs')
const { nameSourcesInStacks } = require('./stack-names.cjs')

/** @typedef {typeof import('./programs.ts')} Programs */

/**
 * What the bundle is: one function.
 * @typedef {(
 *   exports: Programs,
 *   require: (id: string) => unknown,
 *   moduleAddress: (module: string) => string,
 *   filename: string,
 *   dirname: string,
 * ) => void} Bundle
 */

const DIST = dirname(__dirname)
const BUNDLE = join(DIST, 'bundle', 'vedette.cjs')
/** The compiler touches it whenever it writes a module. Packages do not have it. */
const COMPILED = join(DIST, '.tsbuildinfo')
/** If set, programs run from the modules, which can be changed one by one to look for a mistake. */
const MODULES_VARIABLE = 'VEDETTE_MODULES'

/** @param {keyof Programs['PROGRAMS']} name */
exports.launch = (name) => {
  ignoreDebuggerSignal()
  if (isFresh()) return loadBundle(name).PROGRAMS[name]()
  return import('./programs.ts').then(({ PROGRAMS }) => PROGRAMS[name]())
}

/**
 * On SIGUSR1 Node opens a debugger on port 9229, through which every user of the machine could run code in this
 * process; scripts that rotate logs send that signal to any program.
 */
function ignoreDebuggerSignal() {
  process.on('SIGUSR1', () => undefined)
}

/** In a clone the modules may have been compiled without the bundle: it must not hide what was changed. */
function isFresh() {
  if (process.env[MODULES_VARIABLE] !== undefined) return false
  const bundle = statSync(BUNDLE, { throwIfNoEntry: false })
  if (bundle === undefined) return false
  const compiled = statSync(COMPILED, { throwIfNoEntry: false })
  return compiled === undefined || compiled.mtimeMs <= bundle.mtimeMs
}

/**
 * @param {string} name
 * @returns {Programs}
 */
function loadBundle(name) {
  const folder = dirname(BUNDLE)
  // Plain ASCII, and read as such: the engine then needs one byte for each character.
  const source = readFileSync(BUNDLE, 'latin1')
  const cache = openCodeCache({ folder, source, program: name, argument: process.argv[2] })
  const script = new Script(source, { filename: BUNDLE, cachedData: cache.cachedData })
  nameSourcesInStacks(BUNDLE)
  const programs = /** @type {Programs} */ ({})
  const run = /** @type {Bundle} */ (script.runInThisContext())
  run(programs, lazyRequire(BUNDLE), moduleAddress, BUNDLE, folder)
  const isKept = cache.cachedData !== undefined && !script.cachedDataRejected
  if (!isKept) cache.keepAfterStart(script, programs)
  return programs
}

/**
 * The address that a module of the bundle has in dist: files are found from there, as by the modules themselves.
 * @param {string} module
 */
function moduleAddress(module) {
  return pathToFileURL(join(DIST, module)).href
}
