/**
 * What does it cost to watch many groups? Three Sentinels of one make watch any number of groups, each of
 * them a master and a replica process of its own (Redis' for all contenders). First they are left alone;
 * then a client asks for addresses; then many masters are killed at once.
 */
import { InvalidArgumentError } from 'commander'
import { CONTENDERS, PEER } from './scale/contenders.mjs'
import { limitsAgainst } from './scale/limits.mjs'
import { reportScale } from './scale/report.mjs'
import { runScale } from './scale/run.mjs'
import { hasResults, writeResults } from './support/document.mjs'
import { mayWrite, whereAndWhen } from './support/finish.mjs'
import { describeSetting } from './support/machine.mjs'
import { positive, readOptions, someOf } from './support/options.mjs'
import { findPrograms, isBuilt } from './support/programs.mjs'
import { measureAll, withoutResult } from './support/rounds.mjs'
import { inWorkshop } from './support/workshop.mjs'

const DEFAULT_ROUNDS = 3
const DEFAULT_GROUPS = [10, 100]
const MOST_GROUPS = 1_000
/** How many masters are killed at once by default. */
const MOST_KILLED = 100
const DEFAULT_DOWN_AFTER_MS = 1_000
const IDS = CONTENDERS.map(({ id }) => id)

const options = readOptions('scale', 'measures what many groups cost', DEFAULT_ROUNDS, extend)
if (isBuilt()) await main(options)
else process.exitCode = 2

function extend(command) {
  const whoIsWho = CONTENDERS.map(({ id, title }) => `  ${id}  ${title}`)
  return command
    .option('--groups <n,…>', 'how many groups (default: 10,100)', counts, DEFAULT_GROUPS)
    .option('--kill <n>', `masters killed at once (default: all, up to ${MOST_KILLED})`, positive)
    .option('--down-after <ms>', 'of all groups', positive, DEFAULT_DOWN_AFTER_MS)
    .option('--contenders <id,…>', 'see below', someOf(IDS), IDS)
    .addHelpText('after', `\nContenders:\n${whoIsWho.join('\n')}`)
}

function counts(text) {
  const isCount = (one) => Number.isSafeInteger(one) && one > 0 && one <= MOST_GROUPS
  const numbers = text.split(',').map(Number)
  if (numbers.every(isCount)) return numbers
  throw new InvalidArgumentError(`numbers from 1 to ${MOST_GROUPS} are wanted: 10,100`)
}

async function main({ rounds, groups, kill = MOST_KILLED, downAfter, contenders, json, docs }) {
  const { versions, missing } = findPrograms(['redis-server', 'redis-sentinel'])
  const sizes = groups.filter(isPossible)
  if (missing.includes('redis-server')) console.error('redis-server is not installed')
  if (missing.includes('redis-server') || sizes.length === 0) {
    process.exitCode = 2
    return
  }
  const chosen = CONTENDERS.filter(
    ({ id, needs }) => contenders.includes(id) && !missing.includes(needs),
  )
  const setting = describeSetting(versions)
  const cases = sizes.map((count) => ({
    count,
    kill: Math.min(kill, count),
    downAfterMs: downAfter,
  }))
  const samples = await inWorkshop((workshop) => measure(workshop, plan(rounds, cases, chosen)))
  finishAll({ setting, rounds, cases, contenders: chosen, samples, json, docs })
}

/** Reports what this machine cannot do. */
function isPossible(count) {
  const limits = limitsAgainst(count)
  if (limits.length > 0) console.error(`${count} groups are left out: ${limits.join('; ')}`)
  return limits.length === 0
}

/** The contenders take turns; each round begins with another one. */
function plan(rounds, cases, contenders) {
  const inRound = (round) => {
    const from = round % contenders.length
    const order = [...contenders.slice(from), ...contenders.slice(0, from)]
    return cases.flatMap((one) => order.map((contender) => ({ round, ...one, contender })))
  }
  return Array.from({ length: rounds }, (_, round) => inRound(round)).flat()
}

function measure(workshop, runs) {
  return measureAll(workshop, runs, {
    label: ({ round, count, contender }) => ({ round, count, contender: contender.id }),
    work: (run, name) => runScale(workshop, { ...run, name }),
  })
}

/** Each number of groups has its own place in the page, so they need not be measured in one go. */
function finishAll({ setting, rounds, cases, contenders, samples, json, docs }) {
  const where = whereAndWhen(setting, rounds)
  if (json) console.log(JSON.stringify({ setting, rounds, samples }))
  for (const one of cases) {
    const text = reportScale(samples, contenders, one)
    if (!json) console.log(`${text}\n`)
    const name = `scale-${one.count}`
    const leftOut = leftOutOf(samples, contenders, { ...one, name })
    if (mayWrite({ leftOut, docs })) writeResults(name, `${where}\n\n${text}`)
  }
  if (!json) console.log(where)
}

/** What the page would lack. */
function leftOutOf(samples, contenders, { count, name }) {
  const own = samples.filter((one) => one.count === count)
  return [
    ...(contenders.some(({ id }) => id === PEER) ? [] : ['the peer was not measured']),
    ...withoutResult(own, ({ contender }) => `${contender} with ${count} groups`),
    ...(hasResults(name) ? [] : [`it has no place for ${count} groups`]),
  ]
}
