/**
 * Loaded into a Sentinel before its program: after some minutes with a record, for ten seconds it records, for ten seconds
 * it runs the machine alone, as a build without a record would. Half of the Sentinels begin with the one, half with the
 * other, so that what happens to all at once helps neither. Two processes of the same program differ by more than a record costs; two spans of
 * the same process do not. What each span took is kept in a file beside the configuration. The record has gaps, which
 * nobody reads.
 */
import { writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nowMs } from '../support/clock.mjs'
import { STEADY_MS, TALLY } from './tally.mjs'

/** Only modules can be changed from outside. */
process.env.VEDETTE_MODULES = '1'

const SPAN_MS = 10_000
/** What a change leaves to be done is not counted. */
const SETTLE_MS = 500

/** The build of the program that comes next. */
const importBuilt = (module) =>
  import(pathToFileURL(resolve(process.argv[1], '../..', module)).href)
const { SentinelRecorder } = await importBuilt('blackbox/recorder.js')
const { step } = await importBuilt('core/step.js')
const recorded = SentinelRecorder.prototype.step
const folder = dirname(process.argv.at(-1))
const path = join(folder, TALLY)
const tally = { with: [], without: [] }
let kind = 'with'
let began

SentinelRecorder.prototype.step = function (state, now, event) {
  return kind === 'with' ? recorded.call(this, state, now, event) : step(state, now, event)
}

/** Processor time since then, of all threads. */
function ended({ usage, atMs }) {
  const { user, system } = process.cpuUsage(usage)
  return { cpuMs: (user + system) / 1000, passedMs: nowMs() - atMs }
}

function turn() {
  if (began !== undefined) tally[kind].push(ended(began))
  began = undefined
  writeFileSync(path, JSON.stringify(tally))
  kind = kind === 'with' ? 'without' : 'with'
  setTimeout(() => {
    began = { usage: process.cpuUsage(), atMs: nowMs() }
  }, SETTLE_MS).unref()
}

function begin() {
  // Folders have the names of ports, which follow each other.
  if (Number(basename(folder)) % 2 === 0) kind = 'without'
  turn()
  setInterval(turn, SPAN_MS).unref()
}

setTimeout(begin, STEADY_MS).unref()
