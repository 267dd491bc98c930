/**
 * Programs in other languages on the clients their distributions bring: redis-py, phpredis, redis-rb, go-redis, and
 * Redis::Fast, which stands on hiredis. Each prints what it got as JSON, and then counts on while the master dies:
 * what a replica had counted stays counted. Sidekiq and Celery have jobs done by workers of their own, which have to
 * find the new master by themselves.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Application, LongWork } from './application.ts'
import type { Deployment } from './deployment.ts'

/** Workers of Sidekiq and Celery take some seconds to start on a busy machine. */
const USE_MS = 40_000
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** `probe`: ends with status 0 where the client is installed. */
function inLanguage(
  name: string,
  argv: readonly string[],
  probe: string[],
  missing: string,
): Application {
  const [command = '', ...words] = argv
  const isInstalled = spawnSync(command, probe, { stdio: 'ignore' }).status === 0
  const file = fileURLToPath(new URL(`programs/${words.pop()}`, import.meta.url))
  const start = (task: string, { sentinels }: Deployment) => {
    const ports = sentinels.map(({ port }) => String(port))
    const env = { ...process.env, SENTINELS: ports.join(','), PYTHONDONTWRITEBYTECODE: '1' }
    return { argv: [...words, file, task, ...ports], env }
  }
  return {
    name,
    missing: isInstalled ? undefined : missing,
    async use(place) {
      const { argv, env } = start('use', place)
      const { stdout } = await promisify(execFile)(command, argv, { env, timeout: USE_MS })
      return JSON.parse(stdout)
    },
    begin: async (place) => {
      const { argv, env } = start('work', place)
      const counting = new Counting(spawn(command, argv, { env }))
      await counting.begun
      return counting
    },
  }
}

export const python = inLanguage(
  'redis-py',
  [PYTHON, 'client.py'],
  ['-c', 'import redis'],
  'python3-redis',
)
export const php = inLanguage(
  'phpredis',
  ['php', 'client.php'],
  ['-r', 'exit(class_exists("RedisSentinel") ? 0 : 1);'],
  'php-cli and php-redis',
)
export const perl = inLanguage(
  'Redis::Fast',
  ['perl', 'client.pl'],
  ['-MRedis::Fast', '-e', '1'],
  'libredis-fast-perl',
)
export const ruby = inLanguage(
  'redis-rb',
  ['ruby', '-W0', 'client.rb'],
  ['-e', 'require "redis"'],
  'ruby-redis',
)
/** Builds without a network, from what Debian packages for Go; three seconds the first time. */
const GO = ['GO111MODULE=off', 'GOPATH=/usr/share/gocode', 'go']
export const go = inLanguage(
  'go-redis',
  ['env', ...GO, 'run', 'client.go'],
  [...GO, 'list', 'gopkg.in/redis.v5'],
  'golang-go and golang-gopkg-redis.v5-dev',
)
export const sidekiq = inLanguage(
  'Sidekiq',
  ['ruby', '-W0', 'sidekiq.rb'],
  ['-e', 'require "sidekiq"; exit system("sidekiq", "-V")'],
  'ruby-sidekiq',
)
export const celery = inLanguage(
  'Celery',
  [PYTHON, 'celery_jobs.py'],
  ['-c', 'import celery, redis'],
  'python3-celery and python3-redis',
)

/** A program that prints `done` for each success, and anything else for what is wrong. */
class Counting implements LongWork {
  successes = 0
  readonly masterDied = (): void => undefined
  /** The first success, or its end: the master is to die in the middle of its work, and not of its start. */
  readonly begun: Promise<unknown>
  readonly #child: ChildProcess
  readonly #wrong: string[] = []
  readonly #ended: Promise<unknown>
  #hasBegun: () => void = () => undefined

  constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = new Promise((resolve) => child.once('close', resolve))
    const succeeded = new Promise<void>((resolve) => {
      this.#hasBegun = resolve
    })
    this.begun = Promise.race([succeeded, this.#ended])
    let rest = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      this.successes += lines.filter((line) => line === 'done').length
      this.#wrong.push(...lines.filter((line) => line !== 'done'))
      if (this.successes > 0) this.#hasBegun()
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#wrong.push(text))
  }

  async finish(): Promise<readonly string[]> {
    this.#child.stdin?.end('stop\n')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5_000)
    await this.#ended
    clearTimeout(timer)
    return this.#wrong
  }
}
