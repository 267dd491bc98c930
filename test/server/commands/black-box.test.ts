/** BLACK-BOX: the journal of a node, handed out in pieces. */
import { expect, test } from 'vitest'
import type { FileAnswer, FileRequest } from '../../../src/server/persistence/files.ts'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const BYTES = 'a journal of some bytes'

/** A folder beside which a journal is kept. */
class Journalled extends DataFiles {
  override ask(request: FileRequest): FileAnswer {
    if (request.kind !== 'journal') return super.ask(request)
    const { piece } = request
    if (piece === undefined)
      return { kind: 'segments', segments: [{ name: '00000001.vbb', bytes: 23, writtenAtMs: 5 }] }
    return { kind: 'bytes', bytes: BYTES.slice(piece.offset, piece.offset + piece.bytes) }
  }
}

const journalled = () => new NodeHarness({}, false, {}, new Journalled())

test('LIST gives the clock of the node, and its segments', () => {
  const harness = journalled()
  const wall = String(harness.wallMs)
  expect(harness.client().say('BLACK-BOX LIST')).toBe(
    `*4\r\n$13\r\nwall-clock-ms\r\n:${wall}\r\n$8\r\nsegments\r\n*1\r\n*3\r\n$12\r\n00000001.vbb\r\n:23\r\n:5\r\n`,
  )
})

test('READ gives pieces', () => {
  const client = journalled().client()
  expect(client.say('black-box read 00000001.vbb 2 7')).toBe('$7\r\njournal\r\n')
  expect(client.say('BLACK-BOX READ 00000001.vbb 100')).toBe('$0\r\n\r\n')
})

test.each([
  ['BLACK-BOX SHOW', 'syntax error'],
  ['BLACK-BOX LIST all', 'syntax error'],
  ['BLACK-BOX READ ../dump.rdb 0', 'Invalid segment'],
  ['BLACK-BOX READ 00000001.vbb -1', 'Invalid offset'],
  ['BLACK-BOX READ 00000001.vbb 0 1048577', 'Invalid number of bytes'],
])('%s is refused', (line, reason) => {
  expect(journalled().client().say(line)).toContain(`-ERR ${reason}`)
})

test('a node without a journal says what it takes', () => {
  const client = new NodeHarness().client()
  for (const line of ['BLACK-BOX LIST', 'BLACK-BOX READ 00000001.vbb 0'])
    expect(client.say(line)).toContain(
      '-NORECORD this node keeps no record: it takes black-box yes',
    )
})

test('it is for administrators alone', () => {
  const client = journalled().client()
  client.say('ACL SETUSER reader on nopass +@all -@admin')
  client.say('AUTH reader x')
  expect(client.say('BLACK-BOX LIST')).toContain('-NOPERM')
})
