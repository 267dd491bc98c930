/** Files read in small pieces, a block ahead. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BLOCK_BYTES, ReadAhead } from '../../../src/io/files/read-ahead.ts'

/** A file in memory that notes what was fetched of it. */
class Source {
  contents: Buffer
  readonly fetched: string[] = []
  failsAt = Number.POSITIVE_INFINITY

  constructor(contents: Buffer) {
    this.contents = contents
  }

  readonly fetch = (path: string, offset: number, maxBytes: number): Promise<Buffer> => {
    this.fetched.push(`${path}:${offset}+${maxBytes}`)
    if (offset >= this.failsAt) return Promise.reject(new Error('EIO'))
    return Promise.resolve(this.contents.subarray(offset, offset + maxBytes))
  }
}

function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 0xff))
}

async function readAll(ahead: ReadAhead, path: string, pieceBytes: number): Promise<string> {
  const pieces: string[] = []
  for (let offset = 0; ; ) {
    const piece = await ahead.read(path, offset, pieceBytes)
    if (piece === '') return pieces.join('')
    pieces.push(piece)
    offset += piece.length
  }
}

test('every piece is what stands there, whatever the sizes of file and pieces', async () => {
  const sizes = fc.constantFrom(0, 1, 999, BLOCK_BYTES - 1, BLOCK_BYTES, 2 * BLOCK_BYTES + 7)
  const pieces = fc.constantFrom(40_000, 32_768, 100_003, BLOCK_BYTES + 1)
  await fc.assert(
    fc.asyncProperty(sizes, pieces, async (size, pieceBytes) => {
      const source = new Source(bytesOf(size))
      const read = await readAll(new ReadAhead(source.fetch), 'a', pieceBytes)
      expect(read === source.contents.toString('latin1')).toBe(true)
    }),
    { numRuns: 30, seed: 1 },
  )
})

test('who goes on where he stopped is read for in blocks, one ahead of him', async () => {
  const source = new Source(bytesOf(3 * BLOCK_BYTES))
  const ahead = new ReadAhead(source.fetch)
  await ahead.read('a', 0, 100)
  await ahead.read('a', 100, 100)
  await ahead.read('a', 200, 100)
  expect(source.fetched).toEqual([
    'a:0+100',
    `a:100+${BLOCK_BYTES}`,
    `a:${100 + BLOCK_BYTES}+${BLOCK_BYTES}`,
  ])
})

test('who jumps about gets what he asked for, and nothing is read ahead', async () => {
  const source = new Source(bytesOf(1000))
  const ahead = new ReadAhead(source.fetch)
  expect(await ahead.read('a', 500, 2)).toBe(source.contents.toString('latin1', 500, 502))
  expect(await ahead.read('a', 10, 2)).toBe(source.contents.toString('latin1', 10, 12))
  expect(await ahead.read('b', 12, 2)).toBe(source.contents.toString('latin1', 12, 14))
  expect(source.fetched).toEqual(['a:500+2', 'a:10+2', 'b:12+2'])
})

test('what was read ahead is not given out once the file has changed', async () => {
  const source = new Source(bytesOf(1000))
  const ahead = new ReadAhead(source.fetch)
  await ahead.read('a', 0, 10)
  await ahead.read('a', 10, 10)
  source.contents = Buffer.alloc(1000, 'n')
  ahead.forget('a')
  expect(await ahead.read('a', 20, 10)).toBe('n'.repeat(10))
})

test('what is added behind the end is read when it is asked for', async () => {
  const source = new Source(bytesOf(25))
  const ahead = new ReadAhead(source.fetch)
  await readAll(ahead, 'a', 10)
  source.contents = bytesOf(40)
  expect(await ahead.read('a', 25, 100)).toBe(source.contents.toString('latin1', 25))
})

test('two files in turn are both read right', async () => {
  const source = new Source(bytesOf(2000))
  const ahead = new ReadAhead(source.fetch)
  const [one, other] = await Promise.all([readAll(ahead, 'a', 100), readAll(ahead, 'b', 70)])
  expect([one, other]).toEqual([one, one])
  expect(one).toBe(source.contents.toString('latin1'))
})

test('a failure is told to who asks for what could not be read, and not before', async () => {
  const source = new Source(bytesOf(2 * BLOCK_BYTES))
  source.failsAt = BLOCK_BYTES + 100
  const ahead = new ReadAhead(source.fetch)
  await ahead.read('a', 0, 100)
  expect((await ahead.read('a', 100, BLOCK_BYTES)).length).toBe(BLOCK_BYTES)
  await expect(ahead.read('a', 100 + BLOCK_BYTES, 10)).rejects.toThrow('EIO')
})

test('others get their turn between two pieces that are both here', async () => {
  const source = new Source(bytesOf(BLOCK_BYTES))
  const ahead = new ReadAhead(source.fetch)
  await ahead.read('a', 0, 10)
  await ahead.read('a', 10, 10)
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  for (let offset = 20; offset < 220; offset += 10) await ahead.read('a', offset, 10)
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(20)
})
