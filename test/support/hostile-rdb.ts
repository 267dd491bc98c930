/**
 * Hostile dumps: what a node saved, damaged, with the old checksum, a corrected one, or none, and then
 * read by a node that starts.
 */
import { assert } from '../../src/base/assert.ts'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { crc64 } from '../../src/server/rdb/crc64.ts'
import { rdbString } from '../../src/server/rdb/rdb-encode.ts'
import { keyspaceDigest } from '../../src/server/values/digest.ts'
import { DataFiles } from '../../src/sim/processes/data-files.ts'
import { assertLines } from './hostile-run.ts'
import { changeBytes, mutateBytes, swapParts } from './mutate-bytes.ts'
import { NodeHarness } from './node-harness.ts'
import { randomCommands } from './random-commands.ts'
import { rdbSamples } from './rdb-samples.ts'
import { readEverything } from './read-everything.ts'

const DUMP = 'dump.rdb'
const CHECKSUM_BYTES = 8
const ZEROS = '\0'.repeat(CHECKSUM_BYTES)
const END = '\xff'
const SEEDS = 24
const COMMANDS = 120

/** Each makes the writer use other forms for the same values. */
const FORMS: readonly Record<string, string>[] = [
  {},
  {
    'hash-max-listpack-entries': '2',
    'zset-max-listpack-entries': '2',
    'set-max-intset-entries': '3',
    'list-max-listpack-size': '3',
    'stream-node-max-entries': '4',
  },
  { 'maxmemory-policy': 'allkeys-lfu', rdbcompression: 'no' },
]

/** What every sample contains. */
const ALWAYS = [
  ['SET', 'compressed', 'ab'.repeat(60)],
  ['SET', 'expiring', 'v', 'PXAT', '1900000000000'],
  ['SADD', 'integers', '1', '-70000', '5000000000'],
  ['XADD', 'x0', '5000000-1', 'field1', 'value'],
  ['XGROUP', 'CREATE', 'x0', 'g0', '0'],
  ['XREADGROUP', 'GROUP', 'g0', 'c1', 'COUNT', '2', 'STREAMS', 'x0', '>'],
  ['ZADD', 'z0', '1.5', 'field1', '-inf', 'field2'],
  ['SELECT', '5'],
  ['SET', 'in another database', '1234'],
]

/** Payloads from our writer; the same seed gives the same payload. */
export function savedRdb(seed: string, form: Record<string, string> = {}): string {
  const harness = new NodeHarness({ save: '', ...form })
  const client = harness.client()
  const commands = randomCommands(createRng(seed))
  for (let count = 0; count < COMMANDS; count++) client.send(...commands.next().value)
  for (const argv of [['DISCARD'], ['SELECT', '0'], ...ALWAYS]) client.send(...argv)
  assert(client.say('SAVE') === '+OK\r\n', 'a sample can be saved')
  return withFunctions(harness.files.read(DUMP) ?? '')
}

/** This node keeps them, and gets them only from others. */
function withFunctions(saved: string): string {
  const library = rdbString('#!lua name=library\nredis.register_function("f", function() end)')
  const body = `${saved.slice(0, -CHECKSUM_BYTES - 1)}\xf5${library}${END}`
  return body + crc64(body)
}

let samples: readonly string[] | undefined

function allSamples(): readonly string[] {
  samples ??= [
    ...Array.from({ length: SEEDS }, (_, n) => savedRdb(`sample ${n}`, FORMS[n % FORMS.length])),
    // Forms that we read but do not write.
    ...rdbSamples(),
  ]
  return samples
}

export function mutatedRdb(sound: string, rng: Rng): string {
  const mutate = rng.pick([mutateBytes, mutateBytes, changeBytes, changeBytes, swapParts])
  const footer = rng.pick(['kept', 'zero', 'zero', 'right', 'right'] as const)
  if (footer === 'kept') return mutate(sound, rng)
  const body = mutate(sound.slice(0, -CHECKSUM_BYTES), rng)
  const ended = body.endsWith(END) ? body : body + END
  return ended + (footer === 'zero' ? ZEROS : crc64(ended))
}

export function hostileRdb(rng: Rng): string {
  const sound = rng.pick(allSamples())
  const bytes = mutatedRdb(sound, rng)
  const files = new DataFiles()
  files.install(DUMP, bytes)
  const harness = new NodeHarness({ save: '' }, false, {}, files)
  assertLines(harness.logs)
  if (harness.exitStatus !== undefined) {
    assertRefused(harness, bytes)
    return 'refused'
  }
  assert(harness.isReady, 'a node that did not end is ready')
  assertMayDiffer(sound, bytes, harness)
  readEverything(harness)
  assertSavable(harness)
  if (rng.chance(1, 4)) workOn(harness, rng)
  return 'accepted'
}

function assertRefused(harness: NodeHarness, bytes: string): void {
  assert(harness.exitStatus === 1 && !harness.isReady, 'a refusal ends the process with 1')
  assert(harness.logs.length === 1, 'a refusal is one message')
  const [text = ''] = harness.logs
  const place =
    /^[ -~]*\/dump\.rdb (?:is damaged at|cannot be read from) byte (\d+)(?: on)?: [ -~…]+\.$/
  const offset = place.exec(text)?.[1]
  assert(offset !== undefined, `a refusal names file and byte: ${text}`)
  assert(Number(offset) <= bytes.length, 'the byte is in the file')
  assert(harness.files.read(DUMP) === bytes, 'a refusal changes nothing')
  assert(harness.files.paths().length === 1, 'a refusal leaves nothing')
}

/** If there is a checksum, it finds the damage. */
function assertMayDiffer(sound: string, bytes: string, harness: NodeHarness): void {
  const hasChecksum = Number(bytes.slice(5, 9)) >= 5 && !bytes.includes(END + ZEROS)
  if (!hasChecksum || endsRight(bytes)) return
  const files = new DataFiles()
  files.install(DUMP, sound)
  const original = new NodeHarness({ save: '' }, false, {}, files)
  const digests = [original, harness].map(({ node }) => keyspaceDigest(node.keyspace))
  assert(digests[0] === digests[1], 'what is behind a checksum does not change unnoticed')
}

function endsRight(bytes: string): boolean {
  return crc64(bytes.slice(0, -CHECKSUM_BYTES)) === bytes.slice(-CHECKSUM_BYTES)
}

/** What was loaded can be saved, and loaded again. */
function assertSavable(harness: NodeHarness): void {
  const digest = keyspaceDigest(harness.node.keyspace)
  assert(harness.client().say('SAVE') === '+OK\r\n', 'what was loaded can be saved')
  const again = new NodeHarness({ save: '' }, false, {}, harness.files)
  assert(again.isReady, `what was saved can be loaded: ${again.logs.at(-1)}`)
  assert(keyspaceDigest(again.node.keyspace) === digest, 'what was saved is what was there')
}

/** Values of unusual origin can be written to like any other. */
export function workOn(harness: NodeHarness, rng: Rng): void {
  const client = harness.client()
  const commands = randomCommands(rng.fork('work'))
  for (let count = 0; count < 40; count++) client.send(...commands.next().value)
  client.send('DISCARD')
  harness.advance(200)
  assert(client.say('ECHO on').endsWith('on\r\n'), 'it goes on')
}
