/** One table: how long each program takes, and how many times as long as bare Node and as its peer. */
import { ratioOf, summarise } from '../support/statistics.mjs'
import { ratio, renderTable, spread, whole } from '../support/table.mjs'
import { ANSWERS, BARE_NODE, DAEMONS } from './contenders.mjs'

/** A Sentinel that listens after 130 ms where bare Node takes 58. */
const AIM = 130 / 58

export function reportStart(samples) {
  const of = (title, field) =>
    summarise(samples.filter((one) => one.title === title).map((one) => one[field]))
  const node = of(BARE_NODE, 'endsMs')
  const peerOf = ({ role }) => DAEMONS.find((one) => one.role === role && one.isPeer).title
  const rows = [
    ...ANSWERS.map(({ title }) => {
      const ends = of(title, 'endsMs')
      return [title, spread(ends), spread(), whole(), ratio(ratioOf(ends, node)), ratio()]
    }),
    ...DAEMONS.map((contender) => {
      const listens = of(contender.title, 'listensMs')
      const peer = of(peerOf(contender), 'listensMs')
      return [
        contender.title,
        spread(listens),
        spread(of(contender.title, 'answersMs')),
        whole(of(contender.title, 'cpuMs')?.median),
        ratio(ratioOf(listens, node)),
        ratio(ratioOf(listens, peer)),
      ]
    }),
  ]
  const headings = [
    'min / median / max, ms',
    'exec → listens, or ends',
    'exec → first PONG',
    'processor time by then',
    ': bare Node',
    ': peer',
  ]
  return `${renderTable(headings, rows)}\n\n${verdict(ratioOf(of('vedette-sentinel', 'listensMs'), node))}`
}

function verdict(reached) {
  if (reached === undefined) return ''
  const isReached = reached <= AIM
  return `A Sentinel listens after ${ratio(reached)} times as long as bare Node takes: the aim of ${ratio(AIM)} is ${isReached ? '' : 'not '}reached.`
}
