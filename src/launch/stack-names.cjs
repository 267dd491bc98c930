/**
 * Stacks name the source files of what is in the bundle: `src/core/step.ts:61`. Node could do that itself
 * (`--enable-source-maps`), but to read a map of several megabytes takes a fifth of a second and more than 100 MB, and Node looks
 * at the stack of every write that fails: that would stop a process in the very moment in which a master dies. So
 * the build leaves a table of lines (scripts/bundle.mjs), which costs less than a millisecond and is not kept.
 */
'use strict'
const { readFileSync } = require('node:fs')

/** Of a line in the table: the number of its source, and its line there. */
const RECORD_BYTES = 4

/**
 * @typedef {(line: number) => string | undefined} PlaceOf
 *
 * @param {string} bundle
 */
exports.nameSourcesInStacks = (bundle) => {
  Error.prepareStackTrace = (error, sites) => {
    const isOurs = sites.some((site) => site.getFileName() === bundle)
    const placeOf = isOurs ? readPlaces(`${bundle}.lines`) : undefined
    const lines = sites.map(
      (site) => `\n    at ${placeOf === undefined ? site : renamed(site, bundle, placeOf)}`,
    )
    return `${headline(error)}${lines.join('')}`
  }
}

/**
 * An error may have been given anything for a name, even something that cannot be a text.
 * @param {Error} error
 */
function headline(error) {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}

/**
 * A table that cannot be read costs the names, not the stack.
 * @param {string} path
 * @returns {PlaceOf | undefined}
 */
function readPlaces(path) {
  try {
    const table = readFileSync(path)
    const end = table.indexOf('\n')
    const sources = JSON.parse(table.toString('utf8', 0, end))
    return (line) => {
      const at = end + 1 + RECORD_BYTES * (line - 1)
      if (at + RECORD_BYTES > table.length) return undefined
      const [source, sourceLine] = [table.readUInt16LE(at), table.readUInt16LE(at + 2)]
      return sourceLine === 0 ? undefined : `${sources[source]}:${sourceLine}`
    }
  } catch {
    return undefined
  }
}

/**
 * @param {NodeJS.CallSite} site
 * @param {string} bundle
 * @param {PlaceOf} placeOf
 */
function renamed(site, bundle, placeOf) {
  const line = site.getLineNumber()
  const text = String(site)
  const place = site.getFileName() === bundle && line !== null ? placeOf(line) : undefined
  return place === undefined
    ? text
    : text.replace(`${bundle}:${line}:${site.getColumnNumber()}`, place)
}
