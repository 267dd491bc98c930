/**
 * `npm run package:deb [-- --out FOLDER]`: builds vedette_<version>_all.deb with dpkg-deb. What goes in is what
 * `npm pack` would take, the production dependencies of package-lock.json, and deploy/deb and deploy/systemd.
 * No root is needed. The same commit and lock file give the same bytes: times are those of the commit.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { pathOf, ROOT } from './paths.mjs'

const HELP = `Usage: npm run package:deb [-- --out FOLDER]

Builds vedette_<version>_all.deb, with the Sentinel and the data node as services of systemd.
  --out FOLDER   where to put it (default: the current folder)
Install it with:  apt install ./vedette_<version>_all.deb
See docs/install.md.`

const MAINTAINER_SCRIPTS = ['postinst', 'prerm', 'postrm']
/** Files of an administrator: dpkg asks before it replaces a changed one. */
const CONFFILES = ['sentinel.yml', 'server.conf']
const UNITS = ['vedette-sentinel.service', 'vedette-server.service']
const LIBRARY = 'usr/lib/vedette'
const DOCS = 'usr/share/doc/vedette'
const PACKAGE = JSON.parse(readFileSync(pathOf('package.json'), 'utf8'))

/** What ends the build with a text for the user, and not with a stack. */
class BuildError extends Error {}

function main() {
  const { values } = parseArgs({
    options: { out: { type: 'string', default: '.' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return console.log(HELP)
  const out = resolve(values.out)
  requireDpkgDeb()
  requireFolder(out)
  const stage = mkdtempSync(join(tmpdir(), 'vedette-deb-'))
  try {
    console.log(build(stage, out))
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Returns the path of the package. */
function build(stage, out) {
  addProgram(join(stage, LIBRARY))
  addWrappers(join(stage, 'usr/bin'))
  addTo(join(stage, 'etc/vedette'), 'deploy/deb', CONFFILES)
  addTo(join(stage, 'lib/systemd/system'), 'deploy/systemd', UNITS)
  addDocs(join(stage, DOCS), join(stage, LIBRARY, 'node_modules'))
  // Before the control files, which are no files of the package.
  const contents = filesBelow(stage)
  setModes(stage)
  addControl(join(stage, 'DEBIAN'), stage, contents)
  const path = join(out, `vedette_${debianVersion()}_all.deb`)
  const env = { ...process.env, SOURCE_DATE_EPOCH: sourceDate() }
  runProgram('dpkg-deb', ['--root-owner-group', '-Zxz', '-z3', '--build', stage, path], { env })
  return path
}

function requireDpkgDeb() {
  try {
    execFileSync('dpkg-deb', ['--version'], { stdio: 'ignore' })
  } catch {
    throw new BuildError(
      'cannot run dpkg-deb, which makes the package: build it on Debian or Ubuntu, or install dpkg ' +
        '(apt install dpkg, dnf install dpkg, brew install dpkg)',
    )
  }
}

function requireFolder(out) {
  if (lstatSync(out, { throwIfNoEntry: false }) === undefined) {
    throw new BuildError(`--out ${out}: there is no such folder; mkdir -p it first`)
  }
}

/** The files of the npm package, and its dependencies beside them. */
function addProgram(library) {
  if (!existsSync(pathOf('dist/launch/vedette.cjs'))) {
    throw new BuildError('nothing is built: npm run build first, or use npm run package:deb')
  }
  mkdirSync(library, { recursive: true })
  for (const name of [
    'package.json',
    'package-lock.json',
    'LICENSE',
    ...PACKAGE.files.filter((entry) => !entry.startsWith('!')),
  ]) {
    cpSync(pathOf(name), join(library, name), { recursive: true, filter: isPackaged })
  }
  installDependencies(library)
  // Notes of npm to itself, and programs of dependencies.
  for (const name of [
    'package-lock.json',
    'node_modules/.package-lock.json',
    'node_modules/.bin',
  ]) {
    rmSync(join(library, name), { recursive: true, force: true })
  }
}

/**
 * As the exceptions among the files of package.json say. What the compiler keeps for itself in dist begins with
 * a dot; compiled code is made anew on each machine; nothing reads the maps.
 */
function isPackaged(path) {
  const name = basename(path)
  return !name.endsWith('.map') && !name.startsWith('.') && name !== 'code-cache'
}

function installDependencies(cwd) {
  const common = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  try {
    npm(['ci', ...common, '--loglevel=silent'], cwd)
  } catch {
    // A lock file that lacks the packages of other platforms is incomplete for `npm ci`.
    npm(['install', ...common, '--no-save', '--loglevel=error'], cwd)
  }
}

function npm(args, cwd) {
  const script = process.env.npm_execpath
  if (script?.endsWith('.js')) return runProgram(process.execPath, [script, ...args], { cwd })
  return runProgram('npm', args, { cwd })
}

/** One for each program of package.json. */
function addWrappers(folder) {
  mkdirSync(folder, { recursive: true })
  const template = readFileSync(pathOf('deploy/deb/wrapper.sh'), 'utf8')
  for (const [name, script] of Object.entries(PACKAGE.bin)) {
    const text = template.replaceAll('@NAME@', name).replaceAll('@SCRIPT@', script)
    writeFileSync(join(folder, name), text)
  }
}

function addTo(folder, source, names) {
  mkdirSync(folder, { recursive: true })
  for (const name of names) copyFileSync(pathOf(join(source, name)), join(folder, name))
}

/** Log lines and errors say "see docs/operations.md": the pages are in the package. */
function addDocs(folder, modules) {
  mkdirSync(join(folder, 'examples'), { recursive: true })
  cpSync(pathOf('docs'), join(folder, 'docs'), { recursive: true })
  copyFileSync(pathOf('README.md'), join(folder, 'README.md'))
  copyFileSync(pathOf('sentinel.yml.example'), join(folder, 'examples/sentinel.yml'))
  writeFileSync(
    join(folder, 'changelog.gz'),
    gzipSync(readFileSync(pathOf('CHANGELOG.md')), { level: 9 }),
  )
  writeFileSync(join(folder, 'copyright'), copyright(modules))
}

/** In Debian's format: our licence, and where that of each dependency is. */
function copyright(modules) {
  const licence = readFileSync(pathOf('LICENSE'), 'utf8')
  const holder = /^Copyright \(c\) (.*)$/m.exec(licence)?.[1] ?? PACKAGE.name
  const [, ...paragraphs] = licence.trim().split('\n\n')
  const text = paragraphs.slice(1).join('\n\n').split('\n')
  const lines = [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    `Upstream-Name: ${PACKAGE.name}`,
    `Comment: /${LIBRARY}/node_modules holds these packages, each under the licence that it names:`,
    ...packagesBelow(modules).map(
      ({ name, version, license }) => ` ${name} ${version} (${license})`,
    ),
    '',
    'Files: *',
    `Copyright: ${holder}`,
    'License: Expat',
    ...text.map((line) => ` ${line.trim() || '.'}`),
  ]
  return `${lines.join('\n')}\n`
}

/** Every package that was installed, by name. */
function packagesBelow(modules) {
  return filesBelow(modules)
    .filter((path) => /(^|\/)(node_modules\/)?(@[^/]+\/)?[^/]+\/package\.json$/.test(path))
    .filter((path) => isPackageFolder(dirname(path)))
    .map((path) => JSON.parse(readFileSync(join(modules, path), 'utf8')))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** `name`, `@scope/name`, or such a folder in the node_modules of another package. */
function isPackageFolder(path) {
  const last = path.split('node_modules/').at(-1)
  return /^(@[^/]+\/)?[^/@]+$/.test(last)
}

function addControl(folder, stage, contents) {
  mkdirSync(folder)
  const bytes = contents.reduce((sum, path) => sum + lstatSync(join(stage, path)).size, 0)
  writeFileSync(join(folder, 'control'), control(Math.ceil(bytes / 1024)))
  writeFileSync(
    join(folder, 'conffiles'),
    CONFFILES.map((name) => `/etc/vedette/${name}\n`).join(''),
  )
  const sums = contents
    .filter((path) => !path.startsWith('etc/'))
    .map((path) => `${md5(readFileSync(join(stage, path)))}  ${path}\n`)
  writeFileSync(join(folder, 'md5sums'), sums.join(''))
  for (const name of MAINTAINER_SCRIPTS) {
    copyFileSync(pathOf(`deploy/deb/${name}`), join(folder, name))
    chmodSync(join(folder, name), 0o755)
  }
  for (const name of ['control', 'conffiles', 'md5sums']) chmodSync(join(folder, name), 0o644)
  chmodSync(folder, 0o755)
}

function control(installedKilobytes) {
  return `Package: vedette
Version: ${debianVersion()}
Architecture: all
Section: database
Priority: optional
Maintainer: The Vedette authors <vedette@localhost>
Installed-Size: ${installedKilobytes}
Depends: nodejs (>= ${/\d+/.exec(PACKAGE.engines.node)?.[0]}), adduser, init-system-helpers
Recommends: systemd
Suggests: redis-tools
Description: high availability for Redis-protocol servers, and a data node
 Vedette watches Redis, Valkey or Vedette nodes as Redis Sentinel does, with
 the same protocol, commands, events and configuration, in one quorum with
 Redis' own Sentinels if need be, and fails over in tens of milliseconds once
 a master is known to be down.
 .
 The package has the Sentinel and the data node as services of systemd, both
 off until you enable them, and the program vedette: status, check, planned
 failovers, scenarios and simulation.
`
}

/** 1.0.0-rc.1 comes before 1.0.0, which dpkg writes with a tilde. */
function debianVersion() {
  return PACKAGE.version.replace('-', '~')
}

/** Whatever the umask of whoever builds: everybody may read, root may write, programs run. */
function setModes(stage) {
  const isProgram = (path) => path.startsWith('usr/bin/')
  for (const path of readdirSync(stage, { recursive: true, encoding: 'utf8' })) {
    const stat = lstatSync(join(stage, path))
    if (stat.isSymbolicLink()) continue
    chmodSync(join(stage, path), stat.isDirectory() || isProgram(path) ? 0o755 : 0o644)
  }
  chmodSync(stage, 0o755)
  // Passwords and keys will be in there: postinst gives them to the group of the services.
  chmodSync(join(stage, 'etc/vedette'), 0o750)
  for (const name of CONFFILES) chmodSync(join(stage, 'etc/vedette', name), 0o640)
}

/** Paths of files relative to the folder, sorted. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .sort()
}

/** In seconds, for dpkg-deb: no file is younger. */
function sourceDate() {
  if (process.env.SOURCE_DATE_EPOCH) return process.env.SOURCE_DATE_EPOCH
  try {
    const args = ['log', '-1', '--format=%ct']
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return `${Math.floor(Date.now() / 1_000)}`
  }
}

function md5(bytes) {
  return createHash('md5').update(bytes).digest('hex')
}

function runProgram(command, args, options) {
  try {
    return execFileSync(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const said = `${error.stderr ?? ''}${error.stdout ?? ''}`.trim()
    throw new BuildError(
      `${command} ${args.slice(0, 3).join(' ')} failed: ${said || error.message}`,
    )
  }
}

try {
  main()
} catch (error) {
  const isUsage = error.code?.startsWith('ERR_PARSE_ARGS')
  if (!isUsage && !(error instanceof BuildError)) throw error
  console.error(`package:deb: ${error.message}`)
  process.exitCode = isUsage ? 2 : 1
}
