/** Long strings, which are changed in place, beside an array of bytes: whatever is done to them, in any order. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'
import { sized } from '../../support/sized.ts'

const START_BYTES = 70_000
const MAX_BYTES = 200_000

type Step = readonly [
  name: 'setbit' | 'setrange' | 'append' | 'bitfield' | 'look' | 'copy' | 'bits' | 'dump' | 'set',
  at: number,
  part: string,
]

const step = fc.tuple(
  fc.constantFrom(
    'setbit',
    'setrange',
    'append',
    'bitfield',
    'look',
    'copy',
    'bits',
    'dump',
    'set',
  ),
  fc.oneof(fc.nat(100), fc.nat(MAX_BYTES), fc.integer({ min: START_BYTES - 9, max: START_BYTES })),
  fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => String.fromCharCode(...bytes)),
) as fc.Arbitrary<Step>

class Model {
  codes: number[] = new Array(START_BYTES).fill(0)

  write(at: number, part: string): void {
    while (this.codes.length < at + part.length) this.codes.push(0)
    for (let i = 0; i < part.length; i++) this.codes[at + i] = part.charCodeAt(i)
  }

  text(from = 0, to = this.codes.length): string {
    return this.codes
      .slice(from, to)
      .map((code) => String.fromCharCode(code))
      .join('')
  }
}

describe('a long string', () => {
  test('is what a short one would be after the same changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const harness = new NodeHarness()
        const client = harness.client()
        const model = new Model()
        client.send('SET', 'k', model.text())
        for (const one of steps) perform(harness, model, one)
        client.take()
        expect(whole(harness, 'GET', 'k') === bulkOf(model.text())).toBe(true)
      }),
      { numRuns: sized(15, 60) },
    )
  })

  test('is saved as it was when the snapshot began, and watched like any other', () => {
    const harness = new NodeHarness()
    const [client, other] = [harness.client(), harness.client()]
    client.send('SET', 'k', 'a'.repeat(START_BYTES))
    client.say('SETBIT k 0 1')
    client.say('WATCH k')
    other.say('SETBIT k 8 1')
    client.say('MULTI')
    client.say('GETBIT k 8')
    expect(client.say('EXEC')).toBe('*-1\r\n')
    const before = harness.client().say('DEBUG DIGEST-VALUE k')
    other.say('COPY k copy')
    other.say('SETBIT k 100 1')
    expect(other.say('DEBUG DIGEST-VALUE copy')).toBe(before)
    const changed = other.say('DEBUG DIGEST-VALUE k')
    expect(changed).not.toBe(before)
    expect(other.say('DEBUG RELOAD')).toBe('+OK\r\n')
    expect(other.say('DEBUG DIGEST-VALUE k')).toBe(changed)
  })

  test('grows by a field that is set to what it was, or refused', () => {
    const client = new NodeHarness().client()
    client.send('SET', 'k', 'a'.repeat(START_BYTES))
    expect(client.say(`BITFIELD k SET u8 #${START_BYTES} 0`)).toBe('*1\r\n:0\r\n')
    expect(client.say('STRLEN k')).toBe(`:${START_BYTES + 1}\r\n`)
    const refused = `BITFIELD k OVERFLOW FAIL INCRBY u2 #${4 * START_BYTES + 8} 9`
    expect(client.say(refused)).toBe('*1\r\n$-1\r\n')
    expect(client.say('STRLEN k')).toBe(`:${START_BYTES + 3}\r\n`)
  })

  test('changes without its whole being laid out again', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.send('SETRANGE', 'k', '20000000', 'end')
    // Anew each time, this would take minutes.
    for (let bit = 0; bit < 20_000; bit++) {
      client.send('SETBIT', 'k', `${bit * 7919}`, '1')
      expect(client.send('GETBIT', 'k', `${bit * 7919}`)).toBe(':1\r\n')
    }
    expect(client.say('STRLEN k')).toBe(':20000003\r\n')
  })
})

function perform(harness: NodeHarness, model: Model, [name, at, part]: Step): void {
  const client = harness.client()
  switch (name) {
    case 'setbit': {
      const old = model.codes[at] ?? 0
      expect(client.send('SETBIT', 'k', `${at * 8 + 2}`, '1')).toBe(`:${(old >> 5) & 1}\r\n`)
      return model.write(at, String.fromCharCode(old | 32))
    }
    case 'setrange':
      model.write(at, part)
      return expect(client.send('SETRANGE', 'k', `${at}`, part)).toBe(`:${model.codes.length}\r\n`)
    case 'append':
      model.write(model.codes.length, part)
      return expect(client.send('APPEND', 'k', part)).toBe(`:${model.codes.length}\r\n`)
    case 'bitfield': {
      const [code, old] = [part.charCodeAt(0), model.codes[at] ?? 0]
      model.write(at, part.charAt(0))
      const reply = client.send(
        'BITFIELD',
        'k',
        'SET',
        'u8',
        `#${at}`,
        `${code}`,
        'GET',
        'u8',
        '#3',
      )
      return expect(reply).toBe(`*2\r\n:${old}\r\n:${model.codes[3]}\r\n`)
    }
    case 'look': {
      const to = Math.min(at + 20, model.codes.length)
      const range = client.send('GETRANGE', 'k', `${at}`, `${at + 19}`)
      expect(range).toBe(bulkOf(at < to ? model.text(at, to) : ''))
      expect(client.send('GETBIT', 'k', `${at * 8 + 7}`)).toBe(`:${(model.codes[at] ?? 0) & 1}\r\n`)
      return expect(client.say('STRLEN k')).toBe(`:${model.codes.length}\r\n`)
    }
    case 'copy':
      client.say('COPY k copy REPLACE')
      client.say('SETBIT copy 5 1')
      return expect(client.say('APPEND copy x')).toBe(`:${model.codes.length + 1}\r\n`)
    case 'bits': {
      const first = model.codes.findIndex((code, index) => index >= at && code !== 0)
      const bit = first < 0 ? -1 : first * 8 + Math.clz32(model.codes[first] as number) - 24
      expect(client.send('BITPOS', 'k', '1', `${at}`)).toBe(`:${bit}\r\n`)
      client.say('BITOP NOT inverted k')
      client.say('BITOP XOR both k inverted')
      return expect(client.say('BITCOUNT both')).toBe(`:${8 * model.codes.length}\r\n`)
    }
    case 'dump':
      return expect(client.say('OBJECT ENCODING k')).toBe('$3\r\nraw\r\n')
    case 'set':
      model.codes = model.codes.slice(0, START_BYTES)
      return expect(client.send('SET', 'k', model.text())).toBe('+OK\r\n')
  }
}

function bulkOf(text: string): string {
  return `$${text.length}\r\n${text}\r\n`
}

function whole(harness: NodeHarness, ...argv: string[]): string {
  const client = harness.client()
  const start = client.send(...argv)
  harness.advance(100)
  return start + client.take()
}
