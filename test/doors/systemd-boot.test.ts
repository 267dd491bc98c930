/**
 * The service units under a real systemd, which is process 1 of namespaces of its own: started, restarted after a
 * crash, reloaded and stopped. That takes root, overlays and control groups that may be mounted; CI machines and
 * containers often have some of them only, and then it is left out.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, type TestContext, test } from 'vitest'
import { until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SCRIPT = join(ROOT, 'test/support/systemd-in-overlay.sh')
const NAMESPACES = ['--mount', '--net', '--pid', '--ipc', '--uts', '--cgroup', '--fork']

/** Each line is "name: value". systemctl start waits until the program has said that it is ready. */
const steps = (units: readonly string[]) => `
say() { echo "$1: $2"; }
show() { systemctl show --value -p "$2" "$1"; }
for unit in ${units.join(' ')}; do
  say "$unit start" "$(systemctl start $unit && echo yes || echo no)"
  first=$(show $unit MainPID)
  say "$unit state" "$(show $unit ActiveState) as $(ps -o user= -p $first)"
  say "$unit reload" "$(systemctl reload $unit && echo yes || echo no)"
  [ "$first" = 0 ] || kill -9 "$first"
  for _ in $(seq 150); do
    [ "$(show $unit MainPID)" != 0 ] && [ "$(show $unit MainPID)" != "$first" ] && [ "$(show $unit ActiveState)" = active ] && break
    sleep 0.2
  done
  say "$unit after a crash" "$(show $unit ActiveState), $(show $unit NRestarts) restart"
  systemctl stop $unit
  say "$unit stopped" "$(show $unit Result) with $(show $unit ExecMainStatus)"
done
for folder in /var/lib/vedette /var/lib/redis; do
  [ -s $folder/sentinel-26379.state ] && say 'state' "$(stat -c '%U %a' $folder)"
done
journalctl --no-pager > /out/journal 2>&1
say 'done' yes
`

const HAS_DEBIANS_UNITS = ['server', 'sentinel'].every((name) =>
  existsSync(`/lib/systemd/system/redis-${name}.service`),
)

function canBoot(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/lib/systemd/systemd')) return false
  const mounts =
    'mount -t tmpfs tmpfs /mnt && mkdir /mnt/c && (mount -t cgroup -o none,name=systemd c /mnt/c || mount -t cgroup2 c /mnt/c)'
  const argv = [...NAMESPACES, 'sh', '-c', mounts]
  return spawnSync('unshare', argv, { stdio: 'ignore', timeout: 10_000 }).status === 0
}

/** The lines of `steps`, of a system of its own that also has these files. */
async function played(
  units: readonly string[],
  files: Readonly<Record<string, string>>,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
) {
  const folder = scratchFolder('systemd')
  writeFileSync(join(folder, 'steps.sh'), steps(units))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'files', path)), { recursive: true })
    writeFileSync(join(folder, 'files', path), text)
  }
  const argv = [...NAMESPACES, '--kill-child=KILL', 'sh', SCRIPT, folder, ROOT, process.execPath]
  const child = spawn('unshare', argv, { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints += text
  })
  onTestFinished(() => ended(child))
  const read = (name: string) => {
    const path = join(folder, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  await until('the steps are done', 90_000, () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${complaints}`)
    return read('said').includes('done: yes') && true
  })
  const lines = read('said').trim().split('\n')
  return {
    said: Object.fromEntries(lines.map((line) => line.split(': ') as [string, string])),
    journal: `${read('errors')}${read('journal')}`,
  }
}

/** All is well with both units. */
function expected(units: readonly string[], user: string, state: string) {
  const lines = units.flatMap((unit) => [
    [`${unit} start`, 'yes'],
    [`${unit} state`, `active as ${user}`],
    [`${unit} reload`, 'yes'],
    [`${unit} after a crash`, 'active, 1 restart'],
    [`${unit} stopped`, 'success with 0'],
  ])
  return Object.fromEntries([...lines, ['state', state], ['done', 'yes']])
}

describe.skipIf(!canBoot())('(need root, systemd, and namespaces with control groups)', () => {
  test('both units start, survive a crash, reload and stop', async (context) => {
    const units = ['vedette-server', 'vedette-sentinel']
    const { said, journal } = await played(units, {}, context)
    expect(said, journal).toEqual(expected(units, 'vedette', 'vedette 700'))
  })

  test('the unit of docs/proxy.md does the same', async (context) => {
    const units = ['vedette-proxy']
    const { said, journal } = await played(units, proxyUnit(), context)
    const { state: _, ...without } = expected(units, 'vedette', '')
    expect(said, journal).toEqual(without)
  })

  test.skipIf(!HAS_DEBIANS_UNITS)(
    "with the lines of docs/operations-migrate.md, Debian's units run Vedette (needs redis-server and redis-sentinel)",
    async (context) => {
      const units = ['redis-server', 'redis-sentinel']
      const { said, journal } = await played(units, debiansUnits(), context)
      expect(said, journal).toEqual(expected(units, 'redis', 'redis 750'))
    },
  )
})

/** The unit of docs/proxy.md, with the program of this tree, and a configuration. */
function proxyUnit(): Readonly<Record<string, string>> {
  const page = readFileSync(join(ROOT, 'docs/proxy.md'), 'utf8')
  const unit = /```ini\n(.*?)```/s.exec(page)?.[1] ?? ''
  const program = '/usr/lib/vedette/node /usr/lib/vedette/dist/launch/vedette.cjs'
  return {
    'etc/systemd/system/vedette-proxy.service': unit.replace('=/usr/bin/vedette', `=${program}`),
    'etc/vedette/proxy.yml':
      'proxy: {sentinels: ["127.0.0.1:26379"], groups: {mymaster: {port: 6400}}}\n',
  }
}

/** What an administrator writes who follows the page, and the configurations. */
function debiansUnits(): Readonly<Record<string, string>> {
  const page = readFileSync(join(ROOT, 'docs/operations-migrate.md'), 'utf8')
  const lines = /```ini\n(.*?)```/s.exec(page)?.[1] ?? ''
  const server = lines
    .replace(
      'vedette-sentinel.cjs /etc/redis/sentinel.conf',
      'vedette-server.cjs /etc/redis/redis.conf',
    )
    .replace(/^TimeoutStopSec=.*$/m, '')
  const files = 'dir /var/lib/redis\nlogfile /var/log/redis/'
  return {
    'etc/systemd/system/redis-sentinel.service.d/override.conf': lines,
    'etc/systemd/system/redis-server.service.d/override.conf': server,
    'etc/redis/sentinel.conf': `${files}s.log\nsentinel monitor mymaster 127.0.0.1 6379 2\n`,
    'etc/redis/redis.conf': `${files}n.log\n`,
  }
}

/** Its process 1 ends with it, and everything in there with that. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await gone
}
