/**
 * The steps of deploy/docker/Dockerfile, carried out literally without an engine: each stage is a layer over this machine's own
 * files (overlayfs in a mount namespace of its own), in place of the base image. The programs are then started in it, as the
 * user of the image, on a root that is read-only.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { freePorts, run } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAY_MOUNT =
  process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true'], { stdio: 'ignore' }).status === 0

/** `NAME words…`, continued lines joined, without comments. */
function instructions(dockerfile: string): readonly (readonly [string, string])[] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
  return lines.flatMap((line) => {
    const found = /^(\w+) (.*)$/.exec(line.trim())
    return found === null ? [] : [[found[1] as string, found[2] as string] as const]
  })
}

/** The instructions as a script; `last` runs in the last stage, in $ROOTFS. */
function script(dockerfile: string, buildArguments: string, last: string): string {
  let stage = 0
  let folder = '/'
  const exports: string[] = []
  const inside = (command: string) =>
    `chroot "$ROOTFS" /bin/sh -ec ${quote([...exports, `cd ${folder}`, command].join('\n'))}`
  const lines = instructions(dockerfile).map(([name, words]) => {
    switch (name) {
      case 'FROM':
        stage++
        folder = '/'
        exports.length = 0
        return `stage ${words.split(' AS ')[1] ?? `stage${stage}`}`
      case 'WORKDIR':
        folder = words
        return `mkdir -p "$ROOTFS${folder}"`
      case 'ARG':
        exports.push(`export ${words} ${stage === 2 ? buildArguments : ''}`)
        return ''
      case 'ENV':
        exports.push(`export ${words}`)
        return ''
      case 'COPY':
        return copy(words, folder)
      case 'RUN':
        return inside(words)
      default:
        return `: ${name}`
    }
  })
  return [PROLOGUE, ...lines, last].join('\n')
}

function copy(words: string, folder: string): string {
  const [, from, rest] = /^(?:--from=(\w+) )?(.*)$/.exec(words) as RegExpExecArray
  const names = (rest as string).split(' ')
  const target = (names.pop() as string).replace(/^\.\//, '')
  const base = from === undefined ? ROOT : `$TOP/${from}/root`
  const to = `"$ROOTFS${folder}/${target}"`
  const isFolder = target === ''
  return names
    .map((name) =>
      isFolder
        ? `cp -a "${base}/${name}" ${to}`
        : `mkdir -p "$(dirname ${to})" && cp -a "${base}/${name}" ${to}`,
    )
    .join('\n')
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const PROLOGUE = `set -e
TOP=$1
mount -t tmpfs layers "$TOP"
stage() {
  mkdir -p "$TOP/$1/upper" "$TOP/$1/work" "$TOP/$1/root"
  ROOTFS="$TOP/$1/root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$TOP/$1/upper,workdir=$TOP/$1/work" "$ROOTFS"
  mount --bind /dev "$ROOTFS/dev"
  mount -t proc proc "$ROOTFS/proc"
}`

describe.skipIf(!MAY_MOUNT)('(need root and unshare)', () => {
  test('the steps of the Dockerfile make an image whose programs run as its user, on a read-only root', async () => {
    const dockerfile = readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8')
    const [port = 0, httpPort = 0] = await freePorts(2)
    const user = /^USER (\S+)$/m.exec(dockerfile)?.[1]
    const last = `
mount -t tmpfs -o mode=0755,uid=1000 data "$ROOTFS/data"
mount -o remount,ro "$ROOTFS"
in_it() { chroot --userspec=${user} "$ROOTFS" "$@"; }
in_it /usr/local/bin/vedette-program --version
in_it /usr/local/bin/vedette --version
in_it /bin/sh -c 'test ! -e /opt/vedette/node_modules/typescript && ! touch /opt/vedette/x 2>/dev/null && id -u'
printf 'port ${port}\\nhttp-port ${httpPort}\\nbind 127.0.0.1\\n' > "$ROOTFS/data/base.conf"
export VEDETTE_SELF=127.0.0.1:${port} VEDETTE_SEED=127.0.0.1:${port} VEDETTE_SENTINELS=127.0.0.1:1
export VEDETTE_CONF=/data/base.conf VEDETTE_FIRST_WAIT=0 HTTP_PORT=${httpPort}
chroot --userspec=${user} "$ROOTFS" node /opt/vedette/deploy/docker/node.mjs start > "$TOP/log" 2>&1 &
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  sleep 0.5
  in_it node /opt/vedette/deploy/docker/node.mjs ready 2>/dev/null && break
done
in_it node /opt/vedette/deploy/docker/node.mjs ready && echo ready
kill $!
wait $! || cat "$TOP/log"
tail -1 "$TOP/log"`
    const folder = scratchFolder('dockerfile')
    const path = join(folder, 'build.sh')
    writeFileSync(path, script(dockerfile, 'PROGRAM=vedette-sentinel', last))
    const unshare = ['-m', '--propagation', 'private', 'bash', path, folder]
    const { status, stdout, stderr } = await run('unshare', unshare, 230_000)
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/Redis server v=.*build=vedette-/)
    expect(stdout).toContain('\n1000\n')
    expect(stdout).toContain('\nready\n')
    expect(stdout).toContain('shutdown: bye')
  }, 240_000)
})
