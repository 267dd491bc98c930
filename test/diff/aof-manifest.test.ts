/** Manifests that are odd, and some that are damaged: what redis-check-aof reads we read, and nothing else. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { parseManifest } from '../../src/server/aof/manifest.ts'
import { isInstalled } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'
import { sized } from '../support/sized.ts'

const CHECK = 'redis-check-aof'
const NAMES = ['a.aof', 'b.aof', 'c.aof']

let dir = ''

/** Whether Redis takes it. All files it could name are there. */
function isReadByRedis(text: string): boolean {
  const path = join(dir, 'appendonly.aof.manifest')
  writeFileSync(path, text, 'latin1')
  return spawnSync(CHECK, [path]).status === 0
}

function isReadByUs(text: string): boolean {
  return !('reason' in parseManifest(text))
}

const B = 'file a.aof seq 1 type b\n'
const I = 'file b.aof seq 1 type i\n'

const CASES: Readonly<Record<string, string>> = {
  'as it is written': B + I,
  'tabs and blanks': ` file\ta.aof  seq 1\ttype b \n${I}`,
  'line breaks of Windows': `file a.aof seq 1 type b\r\n${I}`,
  notes: `# one\n${B}#two\n${I}# three`,
  'a blank before a note': ` # one\n${B}${I}`,
  quotes: `"file" 'a.aof' seq "1" type b\n${I}`,
  'escapes in quotes': `file "a\\x2eaof" seq 1 type b\n${I}`,
  'any order of words': `type b seq 1 file a.aof\n${I}`,
  'words of later versions': `file a.aof seq 1 type b startoffset 7\n${I}`,
  capitals: `FILE a.aof Seq 1 tYPE b\n${I}`,
  'a capital type': `file a.aof seq 1 type B\n${I}`,
  'a long type': `file a.aof seq 1 type base\n${I}`,
  'the base last': I + B,
  'a word twice': `file x file a.aof seq 1 type b\n${I}`,
  'a number with a sign': `file a.aof seq +1 type b\n${I}`,
  'a number with zeros': `file a.aof seq 001 type b\n${I}`,
  'a number and more': `file a.aof seq 1x type b\n${I}`,
  'a negative base': `file a.aof seq -1 type b\n${I}`,
  'a negative increment': `${B}file b.aof seq -1 type i\n`,
  'a number that is none': `file a.aof seq one type b\n${I}`,
  'number 0': `file a.aof seq 0 type b\n${I}`,
  'increments that go down': `file b.aof seq 2 type i\nfile c.aof seq 1 type i\n`,
  'increments with a gap': `file b.aof seq 2 type i\nfile c.aof seq 9 type i\n`,
  'a blank line': `${B}\n${I}`,
  'no end of line': B + I.trimEnd(),
  'a zero byte': `file a.aof seq 1 type b\0\n${I}`,
  'half a quote': `file "a.aof seq 1 type b\n${I}`,
  'a path': `file ./a.aof seq 1 type b\n${I}`,
  'a line of 1023 bytes': `${B}#${'x'.repeat(1021)}\n${I}`,
  'a line of 1024 bytes': `${B}#${'x'.repeat(1022)}\n${I}`,
  'a line of 1025 bytes': `${B}#${'x'.repeat(1023)}\n${I}`,
  'two bases': `${B}file b.aof seq 2 type b\n`,
}

describe.skipIf(!isInstalled(CHECK))('a manifest (needs redis-check-aof)', () => {
  beforeAll(() => {
    dir = scratchFolder('manifest')
    const bytes = encodeCommand(['SELECT', '0'])
    for (const name of NAMES) writeFileSync(join(dir, name), bytes)
  })

  test.each(Object.entries(CASES))('with %s', (_name, text) => {
    expect(isReadByUs(text)).toBe(isReadByRedis(text))
  })

  test('of words thrown together', () => {
    const word = fc.constantFrom(
      ...['file', 'a.aof', 'seq', 'type', '1', '2', 'b', 'h', 'i', 'x', '0', '#', '"', "'b'"],
    )
    const sound = fc.constantFrom(B, I, 'file c.aof seq 2 type i\n', 'file c.aof seq 3 type h\n')
    const line = fc.oneof(
      { weight: 3, arbitrary: sound },
      {
        weight: 1,
        arbitrary: fc.array(word, { maxLength: 8 }).map((words) => `${words.join(' ')}\n`),
      },
    )
    const text = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join(''))
    const agrees = (given: string) => isReadByUs(given) === isReadByRedis(given)
    fc.assert(fc.property(text, agrees), { seed: 1, numRuns: sized(40, 150) })
  })
})
