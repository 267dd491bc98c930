/**
 * All programs in one file, dist/bundle/vedette.cjs: a start reads it instead of hundreds of modules. The
 * modules of dist stay beside it, for worker threads, tests and mutants. Which of the two a start takes,
 * src/launch/launch.ts decides.
 *
 * The file is one function expression, which the launcher compiles itself, because only so can it keep
 * the compiled code. Its first line names the content: what is kept for another content is never used.
 */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { SourceMap } from 'node:module'
import { join, relative, sep } from 'node:path'
import { pathOf } from './paths.mjs'

const BUNDLE = 'dist/bundle/vedette.cjs'
const FOLDER = 'dist/bundle'
const ENTRY = 'src/launch/programs.ts'

/** Undefined where the bundler cannot run (it needs a newer Node than our programs): there is no bundle then. */
export async function makeBundle() {
  const bundler = await loadBundler()
  if (bundler === undefined) return undefined
  const bundle = await bundler.rolldown({
    input: pathOf(ENTRY),
    platform: 'node',
    // Not ours to ship: `debug` looks for it, and does without.
    external: ['supports-color'],
    tsconfig: false,
    transform: { target: 'es2023' },
    // In brackets Node 24 and newer compile every module at once: a start uses a tenth of what that gives.
    optimization: { pifeForModuleWrappers: false },
    plugins: [moduleAddresses()],
    onLog: (_level, log) => {
      throw new Error(`the bundle: ${log.message}`)
    },
  })
  const { output } = await bundle.generate({
    format: 'cjs',
    exports: 'named',
    codeSplitting: false,
    comments: false,
    sourcemap: true,
  })
  await bundle.close()
  return finish(output[0])
}

/** Without a new one the old one is removed, too. */
export function writeBundle(bundle) {
  rmSync(pathOf(FOLDER), { recursive: true, force: true })
  if (bundle === undefined) return
  mkdirSync(pathOf(FOLDER), { recursive: true })
  writeFileSync(pathOf(`${BUNDLE}.lines`), bundle.lines)
  writeFileSync(pathOf(`${FOLDER}/third-party-licences.txt`), bundle.licences)
  // Last, and as a whole: a program that starts meanwhile takes the modules.
  writeFileSync(pathOf(`${BUNDLE}.new`), bundle.code)
  renameSync(pathOf(`${BUNDLE}.new`), pathOf(BUNDLE))
}

/** The bundle, if there is one, holds what the modules of dist hold, although they are newer. */
export function confirmBundle() {
  if (existsSync(pathOf(BUNDLE))) utimesSync(pathOf(BUNDLE), new Date(), new Date())
}

async function loadBundler() {
  try {
    return await import('rolldown')
  } catch (error) {
    console.error(`no bundle is made, programs will start from their modules: ${error.message}`)
    return undefined
  }
}

/**
 * A module that looks for a file beside itself (`new URL('../main.js', import.meta.url)`) must find it from
 * the bundle, too: there its address is that of the compiled module in dist.
 */
function moduleAddresses() {
  const sources = pathOf('src')
  return {
    name: 'module-addresses',
    transform(code, id) {
      if (/String\.raw`[^`]*[^`\u0020-\u007e\n\t]/.test(code))
        throw new Error(`${id}: toAscii would change a raw text`)
      if (!id.startsWith(sources) || !code.includes('import.meta.url')) return undefined
      const module = relative(sources, id).split(sep).join('/').replace(/\.ts$/, '.js')
      return { code: code.replaceAll('import.meta.url', `moduleAddress('${module}')`), map: null }
    },
  }
}

/** Both are one line each, so that the table of lines needs one more at its beginning and nothing else. */
const HEAD = '(function (exports, require, moduleAddress, __filename, __dirname) {'
const TAIL = '\n})\n'

function finish({ code, map, modules }) {
  const body = toAscii(withoutMapComment(code))
  refuseLeftovers(body)
  const id = createHash('sha256').update(body).digest('hex').slice(0, 16)
  return {
    code: `/* ${id} */${HEAD}\n${body}${TAIL}`,
    lines: linesOf(map, body),
    licences: licencesOf(Object.keys(modules)),
  }
}

function withoutMapComment(code) {
  return code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '')
}

/**
 * Node reads a file of plain ASCII faster, and holds it with one byte for each character. The same characters are
 * written as escapes: outside of strings, templates and regular expressions there are none, since comments are left out.
 */
function toAscii(code) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the first 128 characters are what is meant
  return code.replace(/[^\x00-\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** What would be looked for beside the bundle, and not be there. */
function refuseLeftovers(code) {
  for (const leftover of [/\bimport\.meta\b/, /[^.\w$]import\(/]) {
    const found = leftover.exec(code)
    if (found === null) continue
    const place = code.slice(Math.max(0, found.index - 80), found.index + 80)
    throw new Error(`the bundle still has ${found[0]}, which means nothing there: …${place}…`)
  }
}

/**
 * From which line of which source each line of the bundle comes, for stacks (src/launch/stack-names.cjs): a line of
 * JSON with the sources, and for each line two numbers of two bytes, the lowest first: which source, and the line there, or 0.
 */
function linesOf(map, body) {
  const found = new SourceMap(map)
  const numbers = new Map(map.sources.map((source, number) => [source, number]))
  const generated = body.split('\n')
  const table = Buffer.alloc(4 * (generated.length + 1))
  for (const [at, text] of generated.entries()) {
    const entry = found.findEntry(at, text.search(/\S|$/))
    if (entry.generatedLine !== at || entry.originalSource === undefined) continue
    table.writeUInt16LE(numbers.get(entry.originalSource), 4 * (at + 1))
    table.writeUInt16LE(entry.originalLine + 1, 4 * (at + 1) + 2)
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(map.sources.map(fromProject))}\n`), table])
}

function fromProject(source) {
  return relative(pathOf('.'), join(pathOf('dist'), source))
    .split(sep)
    .join('/')
}

/** Their licences ask for it wherever the code goes. */
function licencesOf(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined))
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    )
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    return `${name} ${version} (${license})\n${text}`
  })
  const intro = `vedette.cjs in this folder holds code of these packages, each under its licence.\n`
  return [intro, ...texts].join(`\n${'-'.repeat(78)}\n\n`)
}

function packageFolder(path) {
  const found = /^\0?(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(path)
  return found === null ? undefined : found[1]
}
