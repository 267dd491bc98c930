import { expect, test } from 'vitest'
import { newHistogram, observe } from '../../../src/base/histogram.ts'
import { Exposition, labelText } from '../../../src/http/metrics/exposition.ts'
import { gauge, histogram } from '../../../src/http/metrics/family.ts'

const LAG = gauge('lag_bytes', { help: 'Back\\slash\nand line.', labels: ['name'] })
const TOOK = histogram('took_seconds', { help: 'How long it took.' })

function textOf(page: Exposition): string {
  return page.pieces().join('')
}

function exposition(): Exposition {
  return new Exposition([LAG, TOOK])
}

test('what users named cannot break out of a label or a line', () => {
  const page = exposition()
  page.add(LAG, labelText([['name', 'a"} 1\nb\\']]), 7)
  expect(textOf(page)).toBe(
    '# HELP lag_bytes Back\\\\slash\\nand line.\n# TYPE lag_bytes gauge\n' +
      'lag_bytes{name="a\\"} 1\\nb\\\\"} 7\n',
  )
})

test('a name that is no UTF-8 is told as Latin-1: one wrong byte would spoil the whole document', () => {
  const label = (name: string) => Buffer.from(labelText([['name', name]]), 'latin1').toString()
  expect(label('gr\xf6\xdfe"')).toBe('{name="größe\\""}')
  expect(label(Buffer.from('größe 名前').toString('latin1'))).toBe('{name="größe 名前"}')
})

test('a family without a sample is not there at all', () => {
  expect(textOf(exposition())).toBe('')
})

test('the samples of a family stand together, wherever they come from', () => {
  const page = exposition()
  for (const at of [1, 2, 3]) {
    page.add(LAG, labelText([['name', `n${at}`]]), at)
    page.insert(LAG, `lag_bytes{name="kept${at}"} 0\n`)
    page.addHistogram(TOOK, [['at', `${at}`]], newHistogram([]))
  }
  const names = textOf(page)
    .split('\n')
    .map((line) => line.split(/[_ ]/)[0])
  expect(names.join(' ')).toBe(
    '# # lag lag lag lag lag lag # # took took took took took took took took took ',
  )
})

test('the counts of a histogram are cumulative, and a bound belongs to its bucket', () => {
  const took = newHistogram([0.1, 1])
  for (const value of [0.1, 0.5, 1, 3]) observe(took, value)
  const page = exposition()
  page.addHistogram(TOOK, [], took)
  expect(textOf(page).split('\n').slice(2, -1)).toEqual([
    'took_seconds_bucket{le="0.1"} 1',
    'took_seconds_bucket{le="1"} 3',
    'took_seconds_bucket{le="+Inf"} 4',
    'took_seconds_sum 4.6',
    'took_seconds_count 4',
  ])
})
