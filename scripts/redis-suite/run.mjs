/** One unit of Redis' tests, run by its own test program, and what that said of each test. */
import { execFileSync, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'

/** Its longest unit takes three minutes. One that waits for what never comes is ended, with the servers it started. */
const LIMIT_MS = 6 * 60_000
/** Ports for the servers of one unit, apart from those of units beside it. */
const FIRST_PORT = 12_032
const PORTS = 3_000

/**
 * `passed` and `failed`: names of tests; `failed` with what was seen. `count`: how many passed, since some run more than
 * once. `wasCut`: the unit did not come to its end.
 */
export async function runUnit({ unit, folder, slot, log, overTls = false }) {
  const isTls = overTls || unit === TLS_UNIT
  const tls = isTls ? ['--tls'] : []
  if (isTls) makeCertificates(folder)
  const ports = ['--baseport', `${FIRST_PORT + slot * PORTS}`, '--portcount', `${PORTS - 100}`]
  const words = [
    'tests/test_helper.tcl',
    '--clients',
    '1',
    '--durable',
    ...ports,
    ...tls,
    '--single',
    unit,
  ]
  const { output, isLate } = await captured('tclsh', words, folder, log)
  return { unit, ...readUnit(output), wasCut: isLate || !output.includes('The End') }
}

/** It tests nothing without this. Tcl's part of it is Debian's `tcl-tls`. */
const TLS_UNIT = 'unit/tls'

function makeCertificates(folder) {
  execFileSync('sh', ['utils/gen-test-certs.sh'], { cwd: folder, stdio: 'ignore' })
}

/** All of the Sentinel's tests: one program runs them, over five servers and five Sentinels. */
export async function runSentinels({ unit, folder, log }) {
  const { output, isLate } = await captured('tclsh', ['tests/sentinel/run.tcl'], folder, log)
  const wasCut = isLate || !/GOOD!|test\(s\) failed/.test(output)
  return { unit, ...readSentinels(output), wasCut }
}

async function captured(command, words, cwd, log) {
  const child = spawn(command, words, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const pieces = []
  const file = log === undefined ? undefined : createWriteStream(log)
  const take = (piece) => {
    pieces.push(piece)
    file?.write(piece)
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endGroup(child.pid)
  }, LIMIT_MS)
  await new Promise((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', reject)
  })
  clearTimeout(timer)
  endGroup(child.pid)
  file?.end()
  return { output: withoutColours(Buffer.concat(pieces).toString()), isLate }
}

/** The test program and whatever it started and left. */
function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function withoutColours(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a colour begins.
  return text.replace(/\u001b\[[0-9;]*m/g, '')
}

/** A test may have run more than once, with other settings: then the worst counts. */
function readUnit(output) {
  const seen = new Seen()
  for (const { kind, name, rest } of unitLines(output)) {
    if (kind === 'ok') seen.pass(name)
    else seen.fail(name, rest)
  }
  return seen.result()
}

class Seen {
  #passed = new Set()
  #failed = new Map()
  #count = 0

  pass(name) {
    this.#passed.add(name)
    this.#count++
  }

  fail(name, text) {
    this.#failed.set(name, text)
  }

  result() {
    for (const name of this.#failed.keys()) this.#passed.delete(name)
    return { passed: this.#passed, failed: this.#failed, count: this.#count }
  }
}

function* unitLines(output) {
  // At its end the program repeats what failed.
  const [told = ''] = output.split('The End')
  const lines = told.split('\n')
  for (const [at, line] of lines.entries()) {
    const [, kind, text = ''] = /^\[(ok|err|exception)\]: (.*)$/.exec(line) ?? []
    if (kind === undefined) continue
    const name = text.replace(/ \(\d+ ms\)$/, '').replace(/ in tests\/\S+\.tcl$/, '')
    yield { kind, name, rest: lines.slice(at + 1, at + 4).join('\n') }
  }
}

/** Preparations stand in brackets and count like tests. */
function readSentinels(output) {
  const seen = new Seen()
  for (const line of output.split('\n')) {
    const [, name, outcome, rest] =
      /^\d\d:\d\d:\d\d> (.*): (?:.*\s)?(OK|FAILED)\b:?(.*)$/.exec(line) ?? []
    if (outcome === 'OK') seen.pass(name)
    else if (outcome === 'FAILED') seen.fail(name, rest.trim())
  }
  return seen.result()
}
