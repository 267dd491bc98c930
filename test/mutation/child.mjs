/**
 * A program that tells its findings line by line and may never end: a changed machine can loop, wait for ever
 * or fill the memory. It gets a group of its own, and processor time by bounds: a machine that is busy with
 * other things makes nobody late.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathOf } from '../../scripts/paths.mjs'

const LOOK_MS = 500
const HEAP_MB = 2_000
/** A clock tick of /proc. */
const TICK_MS = 10
/** What waits without using its processor ends too, at last: so many times its bound. */
const IDLE_TIMES = 30

const NEVER = () => Number.POSITIVE_INFINITY

const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const child of running) endGroup(child)
    process.exit(signal === 'SIGINT' ? 130 : 143)
  })
}

/**
 * `wallMs` bounds the whole run. `hear(line)` gets each line of JSON with a `kind`, and ends the program by returning false. `boundMs()` is
 * the processor time allowed since the last line. Resolves to 'ended', 'stopped' or 'late' and the last words.
 */
export function runChild(args, { env, hear, boundMs = NEVER, wallMs = NEVER() }) {
  const heap = `--max-old-space-size=${HEAP_MB}`
  const child = spawn(process.execPath, args, {
    cwd: pathOf('.'),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: heap, FORCE_COLOR: '0', ...env },
  })
  running.add(child)
  return new Promise((resolve, reject) => {
    let how = 'ended'
    let words = ''
    const endMs = performance.now() + wallMs
    let since = { cpuMs: 0, wallMs: performance.now() }
    const end = (reason) => {
      how = reason
      endGroup(child)
    }
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{"kind"')) return
      since = { cpuMs: cpuOf(child.pid), wallMs: performance.now() }
      if (how !== 'ended') return
      try {
        if (hear(JSON.parse(line)) === false) end('stopped')
      } catch (error) {
        end('stopped')
        reject(error)
      }
    })
    child.stderr.on('data', (piece) => {
      words = `${words}${piece}`.slice(-2_000)
    })
    const watch = setInterval(() => {
      const cpuMs = cpuOf(child.pid) - since.cpuMs
      const idleMs = performance.now() - since.wallMs
      const isOver = performance.now() > endMs
      if (isOver || cpuMs > boundMs() || idleMs > IDLE_TIMES * boundMs()) end('late')
    }, LOOK_MS)
    child.on('close', (status) => {
      clearInterval(watch)
      running.delete(child)
      resolve({ how, status, words })
    })
  })
}

function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Of all processes of a group; without /proc the bound is one of the wall clock. */
function cpuOf(group) {
  if (process.platform !== 'linux') return performance.now()
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => sum + ticksOf(pid, group) * TICK_MS, 0)
}

function ticksOf(pid, group) {
  try {
    // `pid (name) state ppid pgrp …`; the name may contain anything, so count from its end.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[2]) === group ? Number(fields[11]) + Number(fields[12]) : 0
  } catch {
    return 0
  }
}
