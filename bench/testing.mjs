/** How long does a test wait for its cluster, for a failover and for the next test? Ours beside what others start. */
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathOf } from '../scripts/paths.mjs'
import { captureNode } from '../scripts/spawn.mjs'
import { finish } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { readOptions } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { summarise } from './support/statistics.mjs'
import { decimals, renderTable, whole } from './support/table.mjs'
import { inWorkshop } from './support/workshop.mjs'

/** `aims` in milliseconds, by the measures of run.mjs. */
const CONTENDERS = [
  {
    title: 'vedette/testing',
    aims: { firstMs: 150, tenthMs: 50, failoverMs: 100, restMs: 10, resetMs: 10, fileMs: 5_000 },
  },
  { title: 'vedette/testing, processes', starts: 2, failovers: 2 },
  {
    title: 'redis-server and redis-sentinel',
    starts: 1,
    failovers: 1,
    needs: ['redis-server', 'redis-sentinel'],
  },
  { title: 'vedette/testing, one node' },
  { title: 'redis-memory-server', tool: 'redis-memory-server', needs: ['redis-server'] },
  { title: 'ioredis-mock', tool: 'ioredis-mock' },
]
const MEASURES = [
  ['firstMs', 'first start'],
  ['tenthMs', 'tenth start'],
  ['failoverMs', 'failover'],
  ['restMs', 'reset at rest'],
  ['resetMs', 'reset after a failover'],
  ['fileMs', '20 failover tests'],
]
const DEFAULT_ROUNDS = 5

const options = readOptions(
  'testing',
  'measures how long a test waits for its cluster',
  DEFAULT_ROUNDS,
  (command) =>
    command.option(
      '--tools <folder>',
      'where redis-memory-server and ioredis-mock are installed',
      '.',
    ),
)
if (isBuilt()) await main(options)
else process.exitCode = 2

async function main({ rounds, json, docs, tools }) {
  const { versions, missing } = findPrograms(['redis-server', 'redis-sentinel'])
  const known = createRequire(join(resolve(tools), 'package.json'))
  const absent = CONTENDERS.filter(({ tool }) => tool !== undefined && !canResolve(known, tool))
  const contenders = CONTENDERS.filter(
    (one) => !absent.includes(one) && !one.needs?.some((name) => missing.includes(name)),
  )
  const plan = Array.from({ length: rounds }, (_, round) =>
    (round % 2 === 0 ? contenders : contenders.toReversed()).map((contender) => ({
      round,
      contender,
    })),
  )
  const samples = await inWorkshop((workshop) =>
    measureAll(workshop, plan.flat(), {
      label: ({ round, contender }) => ({ round, title: contender.title }),
      work: ({ contender }) => measure(contender, resolve(tools)),
    }),
  )
  const leftOut = [
    ...missing.map((command) => `${command} is not installed`),
    ...absent.map(
      ({ tool }) => `${tool} is not installed: npm install it in a folder, and say --tools FOLDER`,
    ),
    ...withoutResult(samples, ({ title }) => title),
  ]
  for (const one of leftOut) console.error(`left out: ${one}`)
  const text = `${tableOf(contenders, samples)}\n\n${verdicts(samples)}`
  finish({
    name: 'testing',
    setting: describeSetting(versions),
    rounds,
    samples,
    text,
    leftOut,
    json,
    docs,
  })
}

function canResolve(require, name) {
  try {
    return require.resolve(name) !== ''
  } catch {
    return false
  }
}

async function measure(contender, tools) {
  const { status, output } = await captureNode([
    pathOf('bench/testing/run.mjs'),
    JSON.stringify(contender),
    tools,
  ])
  if (status !== 0) throw new Error(`${contender.title}: ${output}`)
  return JSON.parse(output.trim().split('\n').at(-1))
}

function tableOf(contenders, samples) {
  const rows = contenders.map(({ title }) => [
    title,
    ...MEASURES.map(([field]) => cellOf(samples, title, field)),
  ])
  return renderTable(['median, ms', ...MEASURES.map(([, text]) => text)], rows)
}

function of(samples, title, field) {
  return summarise(
    samples.filter((one) => one.title === title).map((one) => one[field] ?? undefined),
  )
}

function cellOf(samples, title, field) {
  const median = of(samples, title, field)?.median
  return median !== undefined && median < 10 ? decimals(median, 1) : whole(median)
}

function verdicts(samples) {
  const [{ title, aims }] = CONTENDERS
  return MEASURES.map(([field, text]) => {
    const median = of(samples, title, field)?.median
    return `${text}: ${whole(median)} ms, the aim is ${whole(aims[field])}`
  }).join('; ')
}
