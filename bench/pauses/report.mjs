/** The result for a reader: a table for each stage, and in words where we block others for too long. */
import { ratioOf, summarise } from '../support/statistics.mjs'
import { ratio, renderTable, whole } from '../support/table.mjs'

/** What redis-server does in this time must not block other clients for longer. */
const TOO_LONG_MS = 1_000
/** The ratio to redis-server's pause that is stated in words, if the pause is noticeable at all. */
const MUCH_LONGER = 3
const NOTICEABLE_MS = 100

export function reportPauses(samples, stages, contenders) {
  const measured = samples.filter(({ failure }) => failure === undefined)
  const tables = stages.map((stage) => ({ stage, lines: linesOf(measured, stage, contenders) }))
  return [
    'Medians, in milliseconds; `ours / theirs`.',
    ...tables.map(({ stage, lines }) => `**On ${stage.title}:**\n\n${tableOf(lines)}`),
    ...verdict(tables.flatMap(({ lines }) => lines)),
  ].join('\n\n')
}

function linesOf(measured, stage, contenders) {
  return stage.commands.map(({ title }) => {
    const of = (field) =>
      contenders.map(({ id }) =>
        summarise(
          measured
            .filter((sample) => sample.stage === stage.id && sample.contender === id)
            .map(({ waits }) => waits[title]?.[field]),
        ),
      )
    return { title, own: of('ownMs'), others: of('othersMs') }
  })
}

function tableOf(lines) {
  const headings = ['command', 'it takes', 'ratio', 'others wait', 'ratio']
  const rows = lines.map(({ title, own, others }) => [
    title,
    pairOf(own),
    ratio(ratioOf(own[0], own[1])),
    pairOf(others),
    ratio(ratioOf(others[0], others[1])),
  ])
  return renderTable(headings, rows)
}

function pairOf(summaries) {
  return summaries.map((summary) => shown(summary?.median)).join(' / ')
}

function shown(value) {
  return value === undefined || value < 100 ? ratio(value) : whole(value)
}

function verdict(lines) {
  const waits = lines.filter(({ others }) => others[0] !== undefined && others[1] !== undefined)
  const tooLong = waits.filter(
    ({ others: [ours, theirs] }) => ours.median > TOO_LONG_MS && theirs.median < TOO_LONG_MS,
  )
  const muchLonger = waits.filter(
    ({ others }) => others[0].median > NOTICEABLE_MS && ratioOf(...others) > MUCH_LONGER,
  )
  return [
    listed('Stops others for more than a second where redis-server does not', tooLong),
    listed('More than three times redis-server, and more than a tenth of a second', muchLonger),
  ]
}

function listed(claim, lines) {
  const shownLines = lines.map(
    ({ title, others }) =>
      `${title} (${whole(others[0].median)} ms, ${ratio(ratioOf(...others))} times)`,
  )
  return `${claim}: ${shownLines.length === 0 ? 'nothing' : shownLines.join('; ')}.`
}
