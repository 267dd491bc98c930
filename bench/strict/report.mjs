/** The result for a reader: rates and latencies, failovers and handovers; and in words which aims are missed. */
import { ratioOf, summarise } from '../support/statistics.mjs'
import { decimals, ratio, renderTable, spread, whole } from '../support/table.mjs'
import { FAILOVER_FAULTS, GROUPS, HANDOVER_CLIENTS } from './groups.mjs'
import { COLUMNS, MEASURES, REPLICAS } from './throughput.mjs'

const HEADINGS = {
  async: 'async',
  strict: 'strict',
  linearizable: 'linearizable',
  batch: 'WAIT 1 per batch',
  command: 'WAIT 1 per command',
  redis: 'redis-server',
}
/** What each command is compared with: numerator, denominator, and the least that we want. */
const AIMS = {
  SET: [
    { ours: 'strict', other: 'async', least: 0.8, measure: 'SET-16' },
    { ours: 'strict', other: 'batch', least: 3, measure: 'SET-16' },
    { ours: 'strict', other: 'command', least: 3, measure: 'SET-16' },
  ],
  GET: [
    { ours: 'strict', other: 'async' },
    { ours: 'linearizable', other: 'async', least: 0.5, measure: 'GET-16' },
  ],
}
const FAILOVER_AIM_MS = 20
const TIMES = [
  { title: 'fault → `+sdown`', pick: ({ detectedMs }) => detectedMs },
  {
    title: '`+sdown` → a new master takes a write',
    pick: ({ writableMs }) => writableMs,
    isAim: true,
  },
  {
    title: 'fault → the next acknowledged write of node-redis',
    pick: ({ resumedMs }) => resumedMs?.['node-redis'],
  },
]

export function reportStrict({ throughput, failover, handover }) {
  const parts = [
    ...(throughput.length === 0 ? [] : throughputParts(throughput)),
    ...(failover.length === 0 ? [] : failoverParts(failover)),
    ...(handover.length === 0 ? [] : handoverParts(handover)),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function throughputParts(samples) {
  const of = (replicas, measure, column, field) =>
    summarise(
      samples
        .filter(
          (one) => one.replicas === replicas && one.measure === measure && one.column === column,
        )
        .map((one) => one[field]),
    )
  return [
    ...['SET', 'GET'].flatMap((command) => [
      `${command}, requests per second, medians:`,
      ratesTable(command, of),
      `${command}, p50 / p99 of a batch in ms, medians:`,
      latencyTable(command, of),
    ]),
    missedRates(of),
    unacknowledged(samples),
  ]
}

function ratesTable(command, of) {
  const columns = COLUMNS[command]
  const headings = [
    'pipeline, replicas',
    ...columns.map(({ id }) => HEADINGS[id]),
    ...AIMS[command].map(({ ours, other }) => `${HEADINGS[ours]} : ${HEADINGS[other]}`),
  ]
  const rows = rowsOf(command).map(({ title, replicas, measure }) => [
    title,
    ...columns.map(({ id }) => whole(of(replicas, measure, id, 'requestsPerSecond')?.median)),
    ...AIMS[command].map(({ ours, other }) => ratio(rateRatio(of, replicas, measure, ours, other))),
  ])
  return renderTable(headings, rows)
}

function latencyTable(command, of) {
  const columns = COLUMNS[command]
  const rows = rowsOf(command).map(({ title, replicas, measure }) => [
    title,
    ...columns.map(({ id }) =>
      ['p50Ms', 'p99Ms']
        .map((field) => decimals(of(replicas, measure, id, field)?.median, 1))
        .join(' / '),
    ),
  ])
  return renderTable(['pipeline, replicas', ...columns.map(({ id }) => HEADINGS[id])], rows)
}

function rowsOf(command) {
  return REPLICAS.flatMap((replicas) =>
    MEASURES.filter((one) => one.command === command).map(({ id, depth }) => ({
      ...{ title: `${depth}, ${replicas}`, replicas, measure: id },
    })),
  )
}

function rateRatio(of, replicas, measure, ours, other) {
  const rate = (column) => of(replicas, measure, column, 'requestsPerSecond')
  return ratioOf(rate(ours), rate(other))
}

function missedRates(of) {
  const missed = Object.values(AIMS)
    .flat()
    .filter(({ least }) => least !== undefined)
    .flatMap(({ ours, other, least, measure }) =>
      REPLICAS.flatMap((replicas) => {
        const factor = rateRatio(of, replicas, measure, ours, other)
        if (factor === undefined || factor >= least) return []
        const [command, depth] = measure.split('-')
        const which = `${command}, pipeline ${depth}, ${replicas} beside the master`
        return [
          `${which}: ${HEADINGS[ours]} is ${ratio(factor)} of ${HEADINGS[other]}, the aim ${least}`,
        ]
      }),
    )
  return missed.length === 0 ? 'All aims for rates are reached.' : `Missed: ${missed.join('; ')}.`
}

/** A WAIT that ended without a replica is no acknowledgement: the comparison would be unfair. */
function unacknowledged(samples) {
  const alone = samples.reduce((sum, one) => sum + one.alone, 0)
  return alone === 0 ? '' : `${whole(alone)} batches of WAIT ended without a replica.`
}

function failoverParts(samples) {
  const summary = (fault, group, { pick }) =>
    summarise(samples.filter((one) => one.fault === fault && one.contender === group).map(pick))
  const rows = FAILOVER_FAULTS.flatMap(({ id }) =>
    TIMES.map((time) => [
      `${id}: ${time.title}`,
      ...GROUPS.map((group) => summary(id, group.id, time)),
    ]),
  )
  const cells = rows.map(([title, ...of]) => [title, ...of.map(spread), difference(of)])
  const aims = FAILOVER_FAULTS.map(({ id }) =>
    GROUPS.map((group) =>
      summary(
        id,
        group.id,
        TIMES.find(({ isAim }) => isAim),
      ),
    ),
  )
  const isReached = aims.every((of) => !(differenceMs(of) > FAILOVER_AIM_MS))
  return [
    'Failovers, min / median / max in ms:',
    renderTable(['fault', ...GROUPS.map(({ id }) => id), 'longer by'], cells),
    isReached
      ? `The aim is reached: strict takes at most ${FAILOVER_AIM_MS} ms longer.`
      : `Missed: strict is to take at most ${FAILOVER_AIM_MS} ms longer.`,
    lossLine(samples),
  ]
}

function differenceMs([async, strict]) {
  return async === undefined || strict === undefined ? undefined : strict.median - async.median
}

function difference(of) {
  return decimals(differenceMs(of), 0)
}

function lossLine(samples) {
  const lost = GROUPS.map(({ id }) => {
    const own = samples.filter(({ contender }) => contender === id)
    const sum = (field) => own.reduce((total, one) => total + (one[field] ?? 0), 0)
    return `${id} ${whole(sum('lost'))} of ${whole(sum('acknowledged'))}`
  })
  return `Acknowledged writes lost in these failovers: ${lost.join(', ')}.`
}

function handoverParts(samples) {
  const cases = HANDOVER_CLIENTS.flatMap((client) => GROUPS.map(({ id }) => [client, id]))
  const rows = cases.map(([client, id]) => {
    const own = samples.filter(
      (one) => one.contender === id && one.client === client.id && one.failure === undefined,
    )
    const sum = (field) => whole(own.reduce((total, one) => total + one[field], 0))
    return [
      `${client.title}, ${id}`,
      whole(own.length),
      spread(summarise(own.map(({ gapMs }) => gapMs))),
      sum('errors'),
      sum('lost'),
    ]
  })
  const kinds = [...new Set(samples.flatMap(({ kinds = [] }) => kinds))]
  return [
    'Planned handovers:',
    renderTable(['', 'handovers', 'longest gap, ms', 'errors', 'lost'], rows),
    kinds.length === 0 ? '' : `The errors: ${kinds.join('; ')}.`,
  ]
}
