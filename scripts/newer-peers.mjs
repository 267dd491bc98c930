/**
 * Tests with newer servers in the place of redis-server, redis-sentinel and redis-cli: `npm run test:newer`. Valkey and
 * Redis 8 come from a later release of Debian, with the libraries that they need, in a folder of their own: nothing is installed.
 *
 *   node scripts/newer-peers.mjs [--peers valkey,redis] [--suite trixie] [--tests FILE,…] [--folder FOLDER] [--install]
 *
 * `--suite sid` takes the newest that Debian has. `--tests` are files of the projects `peers` and `net`. `--folder` keeps the
 * programs, or has them from before; `--install` only puts them there and prints the line for PATH. Exit status 1: a test
 * failed; 2: wrong options; 3: this machine cannot get the packages.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Lacking } from './apt.mjs'
import { installedPeer } from './newer-peers/install.mjs'
import { scriptOptions } from './options.mjs'
import { endWithParents } from './parents.mjs'
import { pathOf } from './paths.mjs'
import { runNode } from './spawn.mjs'

const PEERS = ['valkey', 'redis']
/** New commands, and whatever may happen while a fleet is moved between them and us. */
const TESTS = [
  'test/diff/newer.test.ts',
  'test/diff/newer-data.test.ts',
  ...['combinations', 'coordinated', 'migration', 'restarted-replica'].map(
    (name) => `test/peers/${name}.test.ts`,
  ),
]
const LACKS_PART = 3

const options = scriptOptions(import.meta.url, {
  peers: { type: 'string', default: PEERS.join(',') },
  suite: { type: 'string', default: 'trixie' },
  tests: { type: 'string', default: TESTS.join(',') },
  folder: { type: 'string' },
  install: { type: 'boolean', default: false },
})

endWithParents()
try {
  process.exitCode = await main()
} catch (error) {
  console.error(`newer-peers: ${error.message}`)
  process.exitCode = error instanceof Lacking ? LACKS_PART : 2
}

async function main() {
  const peers = options.peers.split(',')
  const tests = options.tests.split(',')
  checkOptions(peers, tests)
  const statuses = []
  for (const peer of peers) statuses.push(await runPeer(peer, tests))
  return Math.max(...statuses)
}

function checkOptions(peers, tests) {
  const unknown = peers.find((peer) => !PEERS.includes(peer))
  if (unknown !== undefined) throw new Error(`--peers are ${PEERS.join(', ')}, not '${unknown}'`)
  if (!/^[a-z]+$/.test(options.suite)) throw new Error(`--suite is a word, not '${options.suite}'`)
  const missing = tests.find((path) => !existsSync(pathOf(path)))
  if (missing !== undefined) throw new Error(`--tests: there is no ${missing}`)
  if (options.install && options.folder === undefined) throw new Error('--install needs --folder')
}

async function runPeer(peer, tests) {
  const folder = folderOf(peer)
  try {
    const { path, version } = installedPeer(peer, options.suite, folder)
    console.log(options.install ? `PATH=${path}:$PATH   # ${version}` : `\n${version}`)
    return options.install ? 0 : await runTests(tests, path, version)
  } finally {
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

function folderOf(peer) {
  if (options.folder === undefined) return mkdtempSync(join(tmpdir(), 'vedette-newer-'))
  const folder = resolve(options.folder, `${peer}-${options.suite}`)
  mkdirSync(folder, { recursive: true })
  return folder
}

function runTests(tests, path, version) {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'peers', '--project', 'net']
  const env = { PATH: `${path}:${process.env.PATH}`, VEDETTE_NEWER_PEER: version }
  return runNode([...words, ...tests], { env })
}
