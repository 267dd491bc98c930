/** The result for a reader: a table, and in words what is counted wrong by more than the aim. */

import { summarise } from '../support/statistics.mjs'
import { decimals, ratio, renderTable } from '../support/table.mjs'
import { SHAPES } from './shapes.mjs'

/** How far what is counted may be from what is held. */
const AIM = 0.15
const MB = 1e6

export function reportMemory(samples) {
  const measured = SHAPES.map(lineOf(samples)).filter(({ ours }) => ours !== undefined)
  const total = sumOf(measured)
  const headings = [
    ...['', 'counted, MB', 'heap, MB', 'ratio', 'loaded again: ratio'],
    ...['redis-server, MB', 'Vedette / redis-server'],
  ]
  const rows = [...measured, total].map(({ title, ours, theirs }) => [
    title,
    decimals(ours.counted / MB, 1),
    decimals(ours.held / MB, 1),
    decimals(ours.counted / ours.held, 2),
    decimals(ours.loadedCounted / ours.loadedHeld, 2),
    theirs === undefined ? '–' : decimals(theirs / MB, 1),
    theirs === undefined ? '–' : ratio(ours.counted / theirs),
  ])
  return [renderTable(headings, rows), ...beyondAim(measured)].join('\n\n')
}

function lineOf(samples) {
  return ({ id, title }) => {
    const median = (contender, pick) =>
      summarise(
        samples
          .filter(
            (one) => one.shape === id && one.contender === contender && one.written !== undefined,
          )
          .map(pick),
      )?.median
    const counted = median('ours', ({ written }) => written.counted)
    const ours = counted && {
      counted,
      held: median('ours', ({ written }) => written.held),
      loadedCounted: median('ours', ({ loaded }) => loaded.counted),
      loadedHeld: median('ours', ({ loaded }) => loaded.held),
    }
    return { title, ours, theirs: median('theirs', ({ written }) => written.counted) }
  }
}

function sumOf(lines) {
  const sum = (pick) => lines.reduce((all, line) => all + (pick(line) ?? 0), 0)
  const ours = {
    counted: sum(({ ours }) => ours.counted),
    held: sum(({ ours }) => ours.held),
    loadedCounted: sum(({ ours }) => ours.loadedCounted),
    loadedHeld: sum(({ ours }) => ours.loadedHeld),
  }
  const hasAll = lines.every(({ theirs }) => theirs !== undefined)
  return { title: 'all', ours, theirs: hasAll ? sum(({ theirs }) => theirs) : undefined }
}

function beyondAim(lines) {
  const off = lines.flatMap(({ title, ours }) => {
    const written = ours.counted / ours.held
    const loaded = ours.loadedCounted / ours.loadedHeld
    const wrong = [
      ...(Math.abs(written - 1) > AIM ? [`${decimals(written, 2)} as written`] : []),
      ...(Math.abs(loaded - 1) > AIM ? [`${decimals(loaded, 2)} as loaded`] : []),
    ]
    return wrong.length === 0 ? [] : [`${title} (${wrong.join(', ')})`]
  })
  return off.length === 0 ? [] : [`Off by more than 15 %: ${off.join('; ')}.`]
}
