/**
 * A bundle asks for every module of Node that any part of it uses before it does anything. The larger ones,
 * which most starts never use, are loaded when something of them is used.
 */
'use strict'
const { createRequire } = require('node:module')

const LARGE = new Set([
  'child_process',
  'dns/promises',
  'http',
  'http2',
  'https',
  'readline',
  'tls',
  'tty',
  'worker_threads',
])

/**
 * @param {string} file  Whose `require` it is.
 * @returns {(id: string) => unknown}
 */
exports.lazyRequire = (file) => {
  const require = createRequire(file)
  return (id) => {
    const load = () => require(id)
    return LARGE.has(id.replace(/^node:/, '')) ? whenUsed(load) : load()
  }
}

/**
 * Looks like what `load` returns.
 * @param {() => object} load
 */
function whenUsed(load) {
  return new Proxy(/** @type {object} */ ({}), {
    get: (_target, key) => Reflect.get(load(), key),
    has: (_target, key) => Reflect.has(load(), key),
    ownKeys: () => Reflect.ownKeys(load()),
    getOwnPropertyDescriptor: (_target, key) => {
      const found = Reflect.getOwnPropertyDescriptor(load(), key)
      // Else the engine asks for the same property in the target.
      return found && { ...found, configurable: true }
    },
  })
}
