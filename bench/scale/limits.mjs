/**
 * Many machines do not allow thousands of processes. It is better to say so first, and what to change,
 * than to leave a failed fork in some log. Only Linux is checked; elsewhere you have to try.
 */
import { existsSync, readFileSync } from 'node:fs'
import { FIRST_PORT, LAST_PORT } from '../support/ports.mjs'
import { SENTINELS } from './fleet.mjs'

/** redis-server has a main thread, three for slow work, and one of its allocator. */
const TASKS_PER_NODE = 5
/** Measured: 2.2 MB each right after the start, kernel included; plus room for what failovers need. */
const NODE_MB = 4
const SENTINEL_MB = 300
/** Connections from a Sentinel to a data node, and as many for its clients and files. */
const LINKS_PER_NODE = 2
const SPARE_FILES = 500
const SPARE_TASKS = 500

/** Each limit that is too low for this many groups, in words; empty if none is known to be. */
export function limitsAgainst(count) {
  const nodes = 2 * count
  const tasks = nodes * TASKS_PER_NODE + SPARE_TASKS
  return [
    ...tooFew(LAST_PORT - FIRST_PORT, nodes + SENTINELS, 'ports from 20000 to 29999', 'use fewer'),
    ...(process.platform === 'linux' ? linuxLimits(nodes, tasks) : []),
  ]
}

function linuxLimits(nodes, tasks) {
  const running = runningTasks()
  return [
    ...tooFew(openFiles(), LINKS_PER_NODE * nodes + SPARE_FILES, 'open files', 'ulimit -Hn'),
    ...tooFew(kernel('pid_max') - running, tasks, 'process ids', 'sysctl kernel.pid_max'),
    ...tooFew(kernel('threads-max') - running, tasks, 'threads', 'sysctl kernel.threads-max'),
    ...tooFew(ownProcesses(), tasks, 'processes of one user', 'ulimit -u'),
    ...tooFew(cgroupTasks(), tasks, 'tasks in our control group', 'its pids.max'),
    ...tooFew(
      availableMb(),
      NODE_MB * nodes + SENTINEL_MB * SENTINELS,
      'megabytes of free memory',
      'use fewer groups',
    ),
  ]
}

/** `there` is undefined if the system sets no limit. */
function tooFew(there, wanted, what, mend) {
  if (there === undefined || there >= wanted) return []
  return [`it takes ${wanted} ${what}, and there are ${Math.floor(there)} (${mend})`]
}

/** What a process may raise its own limit to, as Redis' programs and Node do. */
function openFiles() {
  return hardLimit('Max open files')
}

/** For every user but root, whose processes the kernel does not limit. */
function ownProcesses() {
  return process.getuid() === 0 ? undefined : hardLimit('Max processes')
}

function hardLimit(name) {
  const line = readFileSync('/proc/self/limits', 'utf8').split('\n')
  const hard = line
    .find((one) => one.startsWith(name))
    ?.slice(name.length)
    .trim()
    .split(/\s+/)[1]
  return hard === undefined || hard === 'unlimited' ? undefined : Number(hard)
}

function kernel(name) {
  return Number(readFileSync(`/proc/sys/kernel/${name}`, 'utf8'))
}

/** All threads of the machine: `0.1 0.2 0.3 running/all last-pid`. */
function runningTasks() {
  return Number(readFileSync('/proc/loadavg', 'utf8').split(/[ /]/)[4])
}

/** What is left in our control group, of either version; undefined if it has no limit. */
function cgroupTasks() {
  for (const line of readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')) {
    const [id, controllers, path] = line.split(':')
    if (id !== '0' && controllers !== 'pids') continue
    const folder = `/sys/fs/cgroup${id === '0' ? '' : '/pids'}${path}`
    const left = leftIn(folder)
    if (left !== undefined) return left
  }
  return undefined
}

function leftIn(folder) {
  if (!existsSync(`${folder}/pids.max`)) return undefined
  const most = readFileSync(`${folder}/pids.max`, 'utf8').trim()
  if (most === 'max') return undefined
  return Number(most) - Number(readFileSync(`${folder}/pids.current`, 'utf8'))
}

function availableMb() {
  const info = readFileSync('/proc/meminfo', 'utf8')
  return Number(/^MemAvailable:\s+(\d+) kB$/m.exec(info)?.[1]) / 1_024
}
