/** The client libraries: how each is started, and whether this machine has it. Options are those of docs/clients.md. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { pathOf } from '../../scripts/paths.mjs'

const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'
const script = (name) => pathOf(`bench/clients/programs/${name}`)

/** `isBehindProxy`: it is given the address of a proxy, and no Sentinels. */
export const PROGRAMS = [
  node('ioredis'),
  node('node-redis'),
  {
    id: 'redis-py',
    command: PYTHON,
    args: (key, places) => [script('count.py'), key, ...places],
    probe: ['-c', 'import redis'],
  },
  php('php-redis', 'sentinels'),
  { ...php('php-redis, vedette proxy', 'plain'), isBehindProxy: true },
  {
    id: 'hiredis (Redis::Fast)',
    command: 'perl',
    args: (key, places) => [script('count.pl'), key, ...places],
    probe: ['-MRedis::Fast', '-e', '1'],
  },
]

function node(id) {
  return {
    id,
    command: process.execPath,
    args: (key, places) => [script('stock.mjs'), id, key, ...places],
    probe: ['-e', '0'],
  }
}

function php(id, way) {
  return {
    id,
    command: 'php',
    args: (key, places) => [script('count.php'), way, key, ...places],
    probe: ['-r', 'exit(class_exists("RedisSentinel") ? 0 : 1);'],
  }
}

export function isThere({ command, probe }) {
  return spawnSync(command, probe, { stdio: 'ignore' }).status === 0
}
