/**
 * Hostile append-only files: a folder with a manifest, a base and increments, of which one or two files are
 * damaged, lost or swapped, read by a node that starts.
 */
import { assert } from '../../src/base/assert.ts'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { type Manifest, parseManifest } from '../../src/server/aof/manifest.ts'
import { keyspaceDigest } from '../../src/server/values/digest.ts'
import { DataFiles } from '../../src/sim/processes/data-files.ts'
import { mutatedRdb, savedRdb, workOn } from './hostile-rdb.ts'
import { assertLines } from './hostile-run.ts'
import { changeBytes, changeNumber, mutateBytes, swapParts } from './mutate-bytes.ts'
import { NodeHarness } from './node-harness.ts'
import { randomCommands } from './random-commands.ts'
import { readEverything } from './read-everything.ts'

type Contents = ReadonlyMap<string, string>

const FOLDER = 'appendonlydir'
const NAME = 'appendonly.aof'
const MANIFEST = `${FOLDER}/${NAME}.manifest`
const SEEDS = 24
const COMMANDS = 40

let samples: readonly Contents[] | undefined

function sample(n: number): Contents {
  const rng = createRng(`folder ${n}`)
  const commands = randomCommands(rng)
  const isRdb = n % 3 !== 0
  const base = `${NAME}.1.base.${isRdb ? 'rdb' : 'aof'}`
  const lines = [`file ${base} seq 1 type b`]
  const files = new Map<string, string>()
  files.set(`${FOLDER}/${base}`, isRdb ? savedRdb(`base ${n}`) : log(commands))
  // Servers before 7.0 wrote a base with commands after its data.
  if (n % 5 === 0)
    files.set(`${FOLDER}/${base}`, `${files.get(`${FOLDER}/${base}`)}${log(commands)}`)
  for (let seq = 1; seq <= 1 + (n % 3); seq++) {
    lines.push(`file ${NAME}.${seq}.incr.aof seq ${seq} type i`)
    files.set(`${FOLDER}/${NAME}.${seq}.incr.aof`, log(commands))
  }
  files.set(MANIFEST, `${lines.join('\n')}\n`)
  return files
}

/** Commands as a server logs them, whole transactions only. */
function log(commands: Iterator<string[], never, void>): string {
  let text = encodeCommand(['SELECT', '0'])
  let isOpen = false
  for (let count = 0; count < COMMANDS || isOpen; count++) {
    const argv = commands.next().value
    if (argv[0] === 'MULTI') isOpen = true
    if (argv[0] === 'EXEC') isOpen = false
    text += encodeCommand(argv)
    if (count % 10 === 0 && !isOpen) text += '#TS:1700000000\r\n'
  }
  return text
}

function mutatedFolder(sound: Contents, rng: Rng): Map<string, string> {
  const files = new Map(sound)
  for (let left = 1 + (rng.chance(1, 4) ? 1 : 0); left > 0; left--) {
    const paths = [...files.keys()]
    const path = rng.chance(1, 5) && files.has(MANIFEST) ? MANIFEST : rng.pick(paths)
    if (rng.chance(1, 12)) mutateNames(files, path, rng.pick(paths), rng)
    else files.set(path, mutatedFile(files.get(path) ?? '', rng))
    if (files.size === 0) return files
  }
  return files
}

function mutateNames(files: Map<string, string>, path: string, other: string, rng: Rng): void {
  const [bytes, otherBytes] = [files.get(path) ?? '', files.get(other) ?? '']
  switch (rng.below(4)) {
    case 0:
      files.delete(path)
      return
    case 1:
      files.set(path, '')
      return
    case 2:
      files.set(path, bytes + otherBytes)
      return
    default:
      files.set(path, otherBytes)
      files.set(other, bytes)
  }
}

function mutatedFile(bytes: string, rng: Rng): string {
  if (bytes.startsWith('REDIS') && rng.chance(3, 4)) return mutatedRdb(bytes, rng)
  if (bytes === '') return 'nothing'
  const ways = [mutateBytes, changeBytes, changeBytes, changeNumber, changeNumber, swapParts, cut]
  return rng.pick(ways)(bytes, rng)
}

function cut(bytes: string, rng: Rng): string {
  return bytes.slice(0, rng.below(bytes.length + 1))
}

export function hostileAof(rng: Rng): string {
  samples ??= Array.from({ length: SEEDS }, (_, n) => sample(n))
  const before = mutatedFolder(rng.pick(samples), rng)
  const truncated = rng.pick(['yes', 'yes', 'no'])
  const files = new DataFiles()
  for (const [path, bytes] of before) files.install(path, bytes)
  const directives = { save: '', appendonly: 'yes', 'aof-load-truncated': truncated }
  const harness = new NodeHarness(directives, false, {}, files)
  assertLines(harness.logs)
  if (harness.exitStatus !== undefined) {
    assertRefused(harness, before)
    return 'refused'
  }
  assert(harness.isReady, 'a node that did not end is ready')
  const isCut = assertKept(harness, before, truncated === 'yes')
  const digest = keyspaceDigest(harness.node.keyspace)
  const again = new NodeHarness(directives, false, {}, copyOf(files))
  assert(again.isReady, `what was loaded once is loaded again: ${again.logs.at(-1)}`)
  assert(keyspaceDigest(again.node.keyspace) === digest, 'and is the same then')
  readEverything(harness)
  if (rng.chance(1, 4)) assertGoesOn(harness, rng)
  return isCut ? 'cut off' : 'accepted'
}

function copyOf(files: DataFiles): DataFiles {
  const copy = new DataFiles()
  for (const path of files.paths()) copy.install(path, files.read(path) ?? '')
  return copy
}

function assertRefused({ exitStatus, isReady, logs, files }: NodeHarness, before: Contents): void {
  assert(exitStatus === 1 && !isReady, 'a refusal ends the process with 1')
  const told = logs.filter((text) => text.startsWith('the data cannot be loaded: '))
  assert(told.length === 1 && told[0] === logs.at(-1), 'a refusal is one message, the last')
  const [text = ''] = told
  assert(
    text.includes(`/${FOLDER}/${NAME}`) || namesOther(text, before),
    `it names a file: ${text}`,
  )
  const place = /(?:byte|line) (\d+)/.exec(text)?.[1]
  assert(place !== undefined || / is missing, /.test(text), `it names the place: ${text}`)
  assert(files.paths().length === before.size, 'a refusal makes and removes nothing')
  for (const [path, bytes] of before) assert(files.read(path) === bytes, `${path} is untouched`)
}

/** A damaged manifest may name any file. */
function namesOther(text: string, before: Contents): boolean {
  const manifest = parsed(before)
  return allFiles(manifest).some((name) => {
    const [start = ''] = name.split(/[^ -~]/)
    return text.includes(`/${FOLDER}/${start}`)
  })
}

function parsed(contents: Contents): Manifest {
  const manifest = parseManifest(contents.get(MANIFEST) ?? '')
  return 'reason' in manifest ? { base: undefined, history: [], increments: [] } : manifest
}

function allFiles({ base, increments }: Manifest): string[] {
  return [...(base === undefined ? [] : [base]), ...increments].map(({ name }) => name)
}

/** Of the files that count, only the end of the last one may be missing. Returns whether it is. */
function assertKept({ files, logs }: NodeHarness, before: Contents, maySever: boolean): boolean {
  const paths = allFiles(parsed(before)).map((name) => `${FOLDER}/${name}`)
  const last = paths.findLast((path) => before.get(path) !== '')
  let isCut = false
  for (const path of paths) {
    const [was, is] = [before.get(path) ?? '', files.read(path) ?? '']
    if (is.startsWith(was)) continue
    assert(path === last && maySever && was.startsWith(is), `${path} is kept as it was`)
    const told = `${path} ends with ${was.length - is.length} bytes of something incomplete`
    assert(
      logs.some((text) => text.startsWith(told)),
      'what is cut off is told',
    )
    isCut = true
  }
  return isCut
}

/** The files are appended to and rewritten, and hold the same after the next start. */
function assertGoesOn(harness: NodeHarness, rng: Rng): void {
  workOn(harness, rng)
  if (rng.chance(1, 2)) harness.client().say('BGREWRITEAOF')
  harness.advance(2_000)
  const again = new NodeHarness({ save: '', appendonly: 'yes' }, false, {}, copyOf(harness.files))
  assert(again.isReady, `what was written can be loaded: ${again.logs.at(-1)}`)
  const digests = [harness, again].map(({ node }) => keyspaceDigest(node.keyspace))
  assert(digests[0] === digests[1], 'what was written is what was there')
}
