/**
 * A newer server from a later release of Debian. Its programs need newer libraries than the machine has, so these come
 * along, and a small script starts each program with them, under the name that tests call.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aptIn, Lacking } from '../apt.mjs'

const TOOLS = ['server', 'sentinel', 'cli', 'benchmark', 'check-aof', 'check-rdb']
/** Debian's servers are links to one of the tools of the same package. */
const SERVERS = ['server', 'sentinel']

/** The folder for PATH, and what its server says it is. Throws a `Lacking`. */
export function installedPeer(peer, suite, folder) {
  const path = join(folder, 'bin')
  if (!existsSync(path)) install(peer, suite, folder)
  return { path, version: versionIn(path) }
}

function install(peer, suite, folder) {
  unpack(downloaded(`${peer}-tools`, suite, folder), folder)
  const programs = join(folder, 'root/usr/bin')
  const libraries = libraryFolder(folder)
  const path = join(folder, 'bin.new')
  mkdirSync(path, { recursive: true })
  for (const tool of TOOLS) {
    const binary = join(programs, `${peer}-${SERVERS.includes(tool) ? 'check-rdb' : tool}`)
    placeProgram(join(path, `redis-${tool}`), { binary, libraries, name: `${peer}-${tool}` })
  }
  execFileSync('mv', [path, join(folder, 'bin')])
}

/** Its packages, in the folder. */
function downloaded(name, suite, folder) {
  const apt = aptIn(folder, (text) => entriesFor(suite, text))
  try {
    apt.get('update')
    apt.get('download', name, ...librariesOf(apt, name))
  } catch (error) {
    throw new Lacking(`cannot get ${name} of Debian's ${suite}: ${error.message}`)
  }
  return readdirSync(folder).filter((file) => file.endsWith('.deb'))
}

/** The packages of libraries that a package needs, and those that these need. */
function librariesOf(apt, name) {
  const found = new Set()
  for (let next = [name]; next.length > 0; ) {
    const text = apt.cache('depends', '--no-suggests', '--no-recommends', ...next)
    const needed = [...text.matchAll(/^ *(?:Pre)?Depends: ((?:lib|zlib)\S+)$/gm)]
    next = needed.map(([, library]) => library).filter((library) => !found.has(library))
    for (const library of next) found.add(library)
  }
  return found
}

/** The entries of this machine's release, for the other one; all others, such as those for security, left out. */
function entriesFor(suite, text) {
  const release = releaseName()
  const lines = text.match(/^deb .*$/gm)?.filter((line) => line.includes(` ${release} `)) ?? []
  const paragraphs = text.split(/\n\s*\n/).filter((one) => suitesOf(one).includes(release))
  return [
    ...lines.map((line) => `${line.replace(` ${release} `, ` ${suite} `)}\n`),
    ...paragraphs.map((one) => `${one.replace(/^Suites:.*$/m, `Suites: ${suite}`)}\n`),
  ].join('\n')
}

function suitesOf(paragraph) {
  return /^Suites:(.*)$/m.exec(paragraph)?.[1]?.trim().split(/\s+/) ?? []
}

function releaseName() {
  return /^VERSION_CODENAME=(\S+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? ''
}

function unpack(packages, folder) {
  for (const one of packages) {
    execFileSync('dpkg-deb', ['--extract', join(folder, one), join(folder, 'root')])
  }
}

/** Where the loader and the libraries of this kind of machine are. */
function libraryFolder(folder) {
  const root = join(folder, 'root/usr/lib')
  const name = readdirSync(root).find((one) => loaderIn(join(root, one)) !== undefined)
  if (name === undefined) throw new Lacking('the packages have no loader for programs (ld-linux)')
  return join(root, name)
}

function loaderIn(folder) {
  return readdirSync(folder).find((file) => /^ld-linux.*\.so\.\d+$/.test(file))
}

function placeProgram(place, { binary, libraries, name }) {
  const loader = join(libraries, loaderIn(libraries))
  const words = [loader, '--argv0', name, '--library-path', libraries, binary]
  const quoted = words.map((word) => `'${word}'`).join(' ')
  writeFileSync(place, `#!/bin/sh\nexec ${quoted} "$@"\n`)
  chmodSync(place, 0o755)
}

function versionIn(path) {
  const text = execFileSync(join(path, 'redis-server'), ['--version'], { encoding: 'utf8' })
  const [, name, version] = /^(\w+) server v=(\S+)/.exec(text) ?? []
  if (version === undefined) throw new Error(`${path} has no server: ${text}`)
  return `${name} ${version}`
}
