/**
 * The scoreboard: scenario files on real processes, Vedette beside Redis' own programs, in turns
 * inside each round, so that whatever else the machine does affects both. Needs root, iproute2,
 * nftables, redis-server and redis-sentinel; what this machine cannot do is named and left out.
 */

import { writeResults } from '../bench/support/document.mjs'
import { settingLine } from '../bench/support/machine.mjs'
import { isBuilt } from '../bench/support/programs.mjs'
import { describeMachine } from './scoreboard/machine.mjs'
import { readScoreboardOptions, SELECTION } from './scoreboard/options.mjs'
import { loadLaboratory, measure, plan, readScenarios } from './scoreboard/run.mjs'
import { renderScoreboard } from './scoreboard/table.mjs'

const DOCUMENT = 'docs/scoreboard.md'

const options = readScoreboardOptions()
process.exitCode = isBuilt() ? await main(await loadLaboratory()) : 2

/** Returns the exit status. */
async function main(laboratory) {
  if (laboratory.refusal !== undefined) {
    console.error(`the scoreboard cannot be made: ${laboratory.refusal}`)
    return 2
  }
  const { rounds, only, all, jobs, json, docs } = options
  const words = only.length > 0 || all ? only : SELECTION
  const { files, skipped } = readScenarios(laboratory, words)
  if (files.length === 0) {
    console.error('no scenario to run: --only matches none, or this machine can run none of them')
    return 2
  }
  const setting = describeMachine()
  const startedMs = performance.now()
  const samples = await measure(laboratory, plan(files, rounds), jobs)
  const minutes = Math.ceil((performance.now() - startedMs) / 60_000)
  const where = `${settingLine(setting)} ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${jobs} at a time; it took ${minutes} min.`
  const text = renderScoreboard(samples, skipped)
  console.log(json ? JSON.stringify({ setting, rounds, jobs, samples }) : `${text}\n\n${where}`)
  // A partial table would replace a complete one.
  if (docs && only.length === 0) {
    writeResults('scoreboard', `\`${command()}\`\n\n${where}\n\n${text}`, DOCUMENT)
  }
  return 0
}

function command() {
  const args = process.argv.slice(2)
  return `npm run scoreboard${args.length === 0 ? '' : ` -- ${args.join(' ')}`}`
}
