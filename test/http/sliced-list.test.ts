import { expect, test } from 'vitest'
import { SlicedList } from '../../src/http/sliced-list.ts'

test.each([0, 1, 4, 5, 9])('%s items in slices are the same JSON as at once', (count) => {
  const items = Array.from({ length: count }, (_, at) => ({ at, name: `"n${at}` }))
  const list = new SlicedList({ kind: 'k', items: [] }, items)
  let slices = 1
  while (list.slice((item) => item)) slices++
  expect(list.pieces().join('')).toBe(`${JSON.stringify({ kind: 'k', items })}\n`)
  expect(slices).toBe(Math.max(1, Math.ceil(count / 4)))
})

test('names that are no UTF-8 are told as Latin-1: one wrong byte would spoil the whole document', () => {
  const list = new SlicedList({ from: 'm\xfcnchen', items: [] }, [{ name: 'gr\xf6sse' }])
  while (list.slice((item) => item));
  const text = Buffer.from(list.pieces().join(''), 'latin1').toString('utf8')
  expect(JSON.parse(text)).toEqual({ from: 'münchen', items: [{ name: 'grösse' }] })
})

test('an item that is gone when its turn comes is left out, wherever it stood', () => {
  for (const gone of [0, 4, 8]) {
    const list = new SlicedList({ items: [] }, [0, 1, 2, 3, 4, 5, 6, 7, 8])
    while (list.slice((at) => (at === gone ? undefined : { at })));
    const { items } = JSON.parse(list.pieces().join(''))
    expect(items.map(({ at }: { at: number }) => at)).not.toContain(gone)
    expect(items).toHaveLength(8)
  }
})
