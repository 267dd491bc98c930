/**
 * The service units under a real systemd, which is process 1 of namespaces of its own: started, restarted after a
 * crash, reloaded and stopped. That takes root, overlays and control groups that may be mounted; CI machines and
 * containers often have some of them only, and then it is left out.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SCRIPT = join(ROOT, 'test/support/systemd-in-overlay.sh')
const NAMESPACES = ['--mount', '--net', '--pid', '--ipc', '--uts', '--cgroup', '--fork']

/** Each line is "name: value". systemctl start waits until the program has said that it is ready. */
const STEPS = `
say() { echo "$1: $2"; }
show() { systemctl show --value -p "$2" "$1"; }
for unit in vedette-server vedette-sentinel; do
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
say 'state' "$(stat -c '%U %a' /var/lib/vedette) $([ -s /var/lib/vedette/sentinel-26379.state ] && echo kept)"
journalctl --no-pager -u vedette-server -u vedette-sentinel > /out/journal 2>&1
say 'done' yes
`

function canBoot(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/lib/systemd/systemd')) return false
  const mounts =
    'mount -t tmpfs tmpfs /mnt && mkdir /mnt/c && (mount -t cgroup -o none,name=systemd c /mnt/c || mount -t cgroup2 c /mnt/c)'
  const argv = [...NAMESPACES, 'sh', '-c', mounts]
  return spawnSync('unshare', argv, { stdio: 'ignore', timeout: 10_000 }).status === 0
}

describe.skipIf(!canBoot())('(need root, systemd, and namespaces with control groups)', () => {
  test('both units start, survive a crash, reload and stop', async ({ onTestFinished }) => {
    const folder = scratchFolder('systemd')
    writeFileSync(join(folder, 'steps.sh'), STEPS)
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
    const said = read('said')
      .trim()
      .split('\n')
      .map((line) => line.split(': ') as [string, string])
    const expected = ['vedette-server', 'vedette-sentinel'].flatMap((unit) => [
      [`${unit} start`, 'yes'],
      [`${unit} state`, 'active as vedette'],
      [`${unit} reload`, 'yes'],
      [`${unit} after a crash`, 'active, 1 restart'],
      [`${unit} stopped`, 'success with 0'],
    ])
    const all = Object.fromEntries([...expected, ['state', 'vedette 700 kept'], ['done', 'yes']])
    expect(Object.fromEntries(said), `${read('errors')}${read('journal')}`).toEqual(all)
  })
})

/** Its process 1 ends with it, and everything in there with that. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await gone
}
