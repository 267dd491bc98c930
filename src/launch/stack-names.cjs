/**
 * Stacks name the source files of what is in the bundle: `src/core/step.ts:61:5`. Node could do that
 * itself (`--enable-source-maps`), but it would read the map, several megabytes, at every start. Here the
 * first stack that is looked at reads it, and a program that is in order never looks at one. Node looks at the
 * stacks of errors of sockets, too, and when memory is short is no time to read a map: then stacks name
 * the bundle.
 */
'use strict'
const { readFileSync } = require('node:fs')
const { SourceMap } = require('node:module')
const { getHeapStatistics } = require('node:v8')

/** What reading the map takes for a moment, and half of that for as long as the program runs. */
const MAP_HEAP_BYTES = 192 * 1024 * 1024

/** @param {string} bundle */
exports.nameSourcesInStacks = (bundle) => {
  /** @type {SourceMap | undefined} */
  let map
  Error.prepareStackTrace = (error, sites) => {
    const isOurs = sites.some((site) => site.getFileName() === bundle)
    if (isOurs && hasRoom()) map ??= readMap(`${bundle}.map`)
    const lines = sites.map(
      (site) => `\n    at ${map === undefined ? site : renamed(site, bundle, map)}`,
    )
    return `${headline(error)}${lines.join('')}`
  }
}

function hasRoom() {
  const { heap_size_limit: limitBytes, used_heap_size: usedBytes } = getHeapStatistics()
  return limitBytes - usedBytes > MAP_HEAP_BYTES
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
 * A map that cannot be read costs the names, not the stack.
 * @param {string} path
 */
function readMap(path) {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * @param {NodeJS.CallSite} site
 * @param {string} bundle
 * @param {SourceMap} map
 */
function renamed(site, bundle, map) {
  const line = site.getLineNumber()
  const column = site.getColumnNumber()
  const text = String(site)
  if (site.getFileName() !== bundle || line === null || column === null) return text
  const found = map.findEntry(line - 1, column - 1)
  if (!('originalSource' in found)) return text
  const { originalSource, originalLine, originalColumn } = found
  const place = `${originalSource}:${originalLine + 1}:${originalColumn + 1}`
  return text.replace(`${bundle}:${line}:${column}`, place)
}
