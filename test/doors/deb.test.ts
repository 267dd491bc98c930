/**
 * The Debian package: built, looked at with dpkg-deb, unpacked and run through a failover from there; and, as
 * root, installed by dpkg itself in an overlay of this system, upgraded, removed and purged.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  agreedMaster,
  freePorts,
  HAS_REDIS_CLI,
  isInstalled,
  Program,
  run,
  settled,
  stopAll,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SCRIPT = join(ROOT, 'scripts/package-deb.mjs')
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const HAS_DPKG = isInstalled('dpkg-deb')
const HAS_OVERLAY = HAS_DPKG && canMountOverlay()

/** In a mount namespace that ends with the probe. */
function canMountOverlay(): boolean {
  const folder = scratchFolder('overlay-probe')
  const steps = `mount -t tmpfs tmpfs ${folder} && cd ${folder} && mkdir u w m &&
    mount -t overlay overlay -o lowerdir=/,upperdir=u,workdir=w m && chroot m dpkg --version`
  const argv = ['--mount', '--net', '--pid', '--fork', 'sh', '-c', steps]
  return spawnSync('unshare', argv, { stdio: 'ignore' }).status === 0
}

describe.skipIf(!HAS_DPKG)('the Debian package (need dpkg-deb)', () => {
  const out = scratchFolder('deb')
  const root = join(out, 'root')
  let deb = ''

  beforeAll(async () => {
    const { status, stdout, stderr } = await run(process.execPath, [SCRIPT, '--out', out], 120_000)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    deb = stdout.trim()
    execFileSync('dpkg-deb', ['-x', deb, root])
  }, 120_000)

  test('is named by version, needs Node 20, and lets dpkg ask about changed configurations', () => {
    expect(deb).toBe(join(out, `vedette_${PACKAGE.version}_all.deb`))
    const field = (name: string) =>
      execFileSync('dpkg-deb', ['--field', deb, name], { encoding: 'utf8' }).trim()
    expect(field('Version')).toBe(PACKAGE.version)
    expect(field('Depends')).toContain('nodejs (>= 20)')
    const conffiles = execFileSync('dpkg-deb', ['--info', deb, 'conffiles'], { encoding: 'utf8' })
    expect(conffiles).toBe('/etc/vedette/sentinel.yml\n/etc/vedette/server.conf\n')
  })

  test('belongs to root, is writable for nobody else, and keeps secrets from others', () => {
    const modes = new Map(
      contents().map(({ mode, owner, path }) => {
        expect({ path, owner }).toEqual({ path, owner: 'root/root' })
        expect({ path, mode }).toEqual({ path, mode: expect.stringMatching(/^.{5}-..-.$/) })
        return [path, mode]
      }),
    )
    expect(modes.get('./usr/bin/vedette')).toBe('-rwxr-xr-x')
    expect(modes.get('./usr/bin/vedette-sentinel')).toBe('-rwxr-xr-x')
    expect(modes.get('./usr/bin/vedette-server')).toBe('-rwxr-xr-x')
    expect(modes.get('./etc/vedette/')).toBe('drwxr-x---')
    expect(modes.get('./etc/vedette/sentinel.yml')).toBe('-rw-r-----')
    expect(modes.get('./lib/systemd/system/vedette-sentinel.service')).toBe('-rw-r--r--')
    expect(modes.get('./lib/systemd/system/vedette-server.service')).toBe('-rw-r--r--')
  })

  test('has exactly the production dependencies, and says under which licences', () => {
    const modules = join(root, 'usr/lib/vedette/node_modules')
    for (const name of Object.keys(PACKAGE.dependencies)) {
      expect(existsSync(join(modules, name)), name).toBe(true)
    }
    for (const name of Object.keys(PACKAGE.devDependencies)) {
      expect(existsSync(join(modules, name)), name).toBe(false)
    }
    expect(existsSync(join(root, 'usr/lib/vedette/scenarios/01-master-killed.yml'))).toBe(true)
    const copyright = readFileSync(join(root, 'usr/share/doc/vedette/copyright'), 'utf8')
    expect(copyright).toContain('License: Expat')
    for (const name of readdirSync(modules).filter((name) => !name.startsWith('@'))) {
      expect(copyright).toMatch(new RegExp(`^ ${name} \\S+ \\(`, 'm'))
    }
    expect(copyright).not.toContain('(undefined)')
  })

  test('has the sum of every file but the configurations', () => {
    const sums = execFileSync('dpkg-deb', ['--info', deb, 'md5sums'], { encoding: 'utf8' })
    const said = sums.trimEnd().split('\n')
    for (const line of said) {
      const [sum, path = ''] = line.split('  ')
      const md5 = createHash('md5').update(readFileSync(join(root, path)))
      expect({ path, sum: md5.digest('hex') }).toEqual({ path, sum })
    }
    const files = contents().filter(({ mode, path }) => mode[0] === '-' && !/^.\/etc/.test(path))
    expect(said).toHaveLength(files.length)
  })

  test('brings maintainer scripts that a shell can read', () => {
    for (const name of ['postinst', 'prerm', 'postrm']) {
      const script = execFileSync('dpkg-deb', ['--info', deb, name])
      expect(spawnSync('sh', ['-n'], { input: script }).status, name).toBe(0)
      // The other words that dpkg calls them with, which change nothing.
      const words = { postinst: 'abort-upgrade', prerm: 'upgrade', postrm: 'upgrade' }
      const argv = ['-s', words[name as keyof typeof words], PACKAGE.version]
      expect(spawnSync('sh', argv, { input: script }).status, name).toBe(0)
    }
  })

  test('names what is missing where there is no Node', () => {
    const env = { PATH: '/nowhere' }
    const { status, stderr } = spawnSync(join(root, 'usr/bin/vedette-sentinel'), ['x'], {
      env,
      encoding: 'utf8',
    })
    expect(status).toBe(127)
    expect(stderr).toMatch(/^vedette-sentinel: cannot find 'node'. Install Node 20 or newer/)
  })

  test('ships configurations that vedette check accepts', async () => {
    for (const name of ['sentinel.yml', 'server.conf']) {
      const path = join(root, 'etc/vedette', name)
      const outcome = await run(join(root, 'usr/bin/vedette'), ['check', '--elsewhere', path])
      expect({ name, ...outcome }).toMatchObject({ name, status: 0 })
    }
  })

  describe.skipIf(!HAS_REDIS_CLI)('(and redis-cli)', () => {
    test('fails over from where it was unpacked, with the shipped configurations', async ({
      onTestFinished,
    }) => {
      const folder = scratchFolder('deb-run')
      const [master = 0, replica = 0, ...sentinelPorts] = await freePorts(5)
      const nodes = [nodeFrom(folder, master, []), nodeFrom(folder, replica, replicaOf(master))]
      const sentinels = sentinelPorts.map((port) => sentinelFrom(folder, port, master))
      const programs = [...nodes, ...sentinels]
      onTestFinished(() => stopAll(folder, programs))
      for (const one of programs) one.start()
      const cluster = { folder, nodes, sentinels, stop: () => stopAll(folder, programs) }
      await settled(cluster)
      await nodes[0]?.kill()
      expect(await agreedMaster(cluster, master, 15_000)).toBe(replica)
    }, 60_000)
  })

  describe.skipIf(!HAS_OVERLAY)('(and root, unshare, overlayfs)', () => {
    test('dpkg installs it, keeps the state through upgrade and removal, and purges everything', async () => {
      const argv = ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sh']
      const steps = join(ROOT, 'test/support/deb-in-overlay.sh')
      const folder = scratchFolder('deb-overlay')
      const outcome = await run('unshare', [...argv, steps, folder, deb, process.execPath], 60_000)
      expect(outcome, outcome.stderr).toMatchObject({ status: 0 })
      const seen = Object.fromEntries(
        outcome.stdout
          .trimEnd()
          .split('\n')
          .map((line) => line.split(/: (.*)/).slice(0, 2)),
      )
      const sum = seen['sum before']
      expect(seen).toMatchObject({
        'user before': 'no',
        'user after': 'yes',
        shell: expect.stringContaining('nologin'),
        'state folder': 'vedette:vedette 700',
        'configuration folder': 'root:vedette 750',
        'sentinel.yml': 'root:vedette 640',
        'server.conf': 'root:vedette 640',
        enabled: '0',
        services: 'running',
        'stopped with': '0',
        'state file': 'vedette:vedette 600',
        'sum after the upgrade': sum,
        'my line after the upgrade': '# mine',
        'sentinel.yml after the upgrade': 'root:vedette 640',
        'postinst twice': 'vedette:vedette 700 root:vedette 750',
        'program after remove': 'none',
        'sum after remove': sum,
        'my line after remove': '# mine',
        'user after purge': 'no',
        'state after purge': 'none',
        'sentinel.yml after purge': 'none',
        'my certificate after purge': 'my-certificate.pem',
        'library after purge': 'none',
        'purge of a disk of its own': expect.stringContaining('so it is empty now'),
        'left on it': '0',
        'user after that purge': 'no',
      })
      if (!HAS_REDIS_CLI) return
      expect(seen).toMatchObject({ 'CONFIG REWRITE': 'OK', learnt: 'vedette:vedette 600' })
    }, 90_000)
  })

  interface Entry {
    readonly mode: string
    readonly owner: string
    readonly path: string
  }

  function contents(): readonly Entry[] {
    const lines = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8' })
    return lines
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [mode = '', owner = '', , , , ...path] = line.split(/\s+/)
        return { mode, owner, path: path.join(' ') }
      })
  }

  function nodeFrom(folder: string, port: number, more: readonly string[]): Program {
    const dir = join(folder, `${port}`)
    const shipped = readFileSync(join(root, 'etc/vedette/server.conf'), 'utf8')
    const own = shipped.replace(/^port .*/m, `port ${port}`).replace(/^dir .*/m, `dir ${dir}`)
    const lines = ['save ""', 'repl-diskless-sync-delay 0', ...more, '']
    return program('vedette-server', dir, port, 'server.conf', own + lines.join('\n'))
  }

  function replicaOf(master: number): readonly string[] {
    return [`replicaof 127.0.0.1 ${master}`]
  }

  function sentinelFrom(folder: string, port: number, master: number): Program {
    const dir = join(folder, `${port}`)
    const shipped = readFileSync(join(root, 'etc/vedette/sentinel.yml'), 'utf8')
    const own = shipped
      .replace(/^port:.*/m, `port: ${port}`)
      .replace(/^state-dir:.*/m, `state-dir: ${dir}`)
      .replace(/127\.0\.0\.1:6379/, `127.0.0.1:${master}`)
      .replace(/down-after:.*/, 'down-after: 1s')
    return program('vedette-sentinel', dir, port, 'sentinel.yml', own)
  }

  function program(name: string, dir: string, port: number, file: string, text: string): Program {
    mkdirSync(dir)
    writeFileSync(join(dir, file), text)
    return new Program(port, `${dir}.log`, join(root, 'usr/bin', name), [join(dir, file)])
  }
})

test('building says what is missing: dpkg-deb, and the folder to write to', () => {
  const said = (argv: readonly string[], path: string | undefined) =>
    spawnSync(process.execPath, [SCRIPT, ...argv], {
      env: { ...process.env, PATH: path },
      encoding: 'utf8',
    })
  const without = said([], '/nowhere')
  expect(without).toMatchObject({ status: 1, stdout: '' })
  expect(without.stderr).toMatch(/^package:deb: cannot run dpkg-deb, which makes the package: /)
  expect(said(['--outt', 'x'], process.env.PATH)).toMatchObject({ status: 2 })
  if (!HAS_DPKG) return
  const nowhere = said(['--out', '/nowhere/at/all'], process.env.PATH)
  expect(nowhere.status).toBe(1)
  expect(nowhere.stderr).toContain('--out /nowhere/at/all: there is no such folder')
})
