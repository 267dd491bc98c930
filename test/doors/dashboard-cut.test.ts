/**
 * The page of `vedette up` in a real Chromium while the master is cut off from the rest of its cluster, as by
 * a broken cable, and comes back: keys `c` and `b` of the demonstration. Every state is read as text, on a
 * phone's width as well.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DashboardPage, HAS_CHROMIUM, PHONE, startBrowser } from '../support/browser.ts'
import { MAIN, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/** util-linux' script gives a program a terminal. */
const HAS_SCRIPT = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util')

describe.skipIf(!HAS_CHROMIUM || !HAS_SCRIPT)('(need chromium and script)', () => {
  const folder = scratchFolder('cut')
  let terminal: ChildProcess
  let screen = ''
  let browser: Browser
  let dashboard: DashboardPage
  let oldMaster = 0

  beforeAll(async () => {
    const command = `stty cols 100 rows 40; '${process.execPath}' '${MAIN}' up --down-after 1s`
    terminal = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, TMPDIR: folder, TERM: 'xterm' },
    })
    // It may have ended before the last key.
    terminal.stdin?.on('error', () => undefined)
    terminal.stdout?.on('data', (chunk) => {
      screen += stripVTControlCharacters(String(chunk))
    })
    const url = await until('the page is named', 60_000, () => {
      return screen.includes('ready after') && /http:\/\/127\.0\.0\.1:\d+\//.exec(screen)?.[0]
    })
    browser = await startBrowser()
    dashboard = new DashboardPage(
      await browser.newPage({ viewport: { width: 1200, height: 1000 } }),
    )
    await dashboard.page.goto(url)
  })
  afterAll(async () => {
    await browser?.close()
    terminal.stdin?.write('q')
    await until('the cluster ends', 20_000, () => terminal.exitCode !== null)
  })

  function master(verdict: string): number {
    return Number(/:(\d+) is master/.exec(verdict)?.[1])
  }

  /** The same page on a phone: nothing is wider than the screen, and the picture is kept. */
  async function onPhone(name: string): Promise<void> {
    const { page } = dashboard
    await page.setViewportSize(PHONE)
    await until('it is drawn for the phone', 20_000, async () => {
      const wide: number = await page.evaluate('document.documentElement.scrollWidth')
      return wide <= PHONE.width && (await dashboard.lanesWidth()) <= PHONE.width
    })
    await dashboard.picture(name)
    await page.setViewportSize({ width: 1200, height: 1000 })
  }

  test('a master that is cut off is missed, replaced and told so, in words', async () => {
    const before = await dashboard.seen('a healthy cluster', 'verdict', /^✓ .* all is well$/)
    oldMaster = master(before)
    terminal.stdin?.write('c')
    const verdict = await dashboard.seen(
      'another master',
      'verdict',
      new RegExp(`:(?!${oldMaster})\\d+ is master`),
    )
    const incident = `:${master(verdict)} took the place of .*:${oldMaster}`
    await dashboard.seen('the incident', 'incidents', new RegExp(incident))
    await until('the node that is cut off is called down', 30_000, async () =>
      /✗ down/.test(await dashboard.rowOf(oldMaster)),
    )
    await dashboard.picture('cut-1-replaced')
    await onPhone('cut-2-replaced-phone')
  })

  test('once the cut is mended the old master is a replica, and all is well', async () => {
    terminal.stdin?.write('b')
    await until('the page calls it a replica', 60_000, async () =>
      /✓ replica/.test(await dashboard.rowOf(oldMaster)),
    )
    const verdict = await dashboard.seen('all is well again', 'verdict', /^✓ .* all is well$/)
    expect(master(verdict)).not.toBe(oldMaster)
    await dashboard.picture('cut-3-mended')
    await onPhone('cut-4-mended-phone')
    expect(dashboard.complaints).toEqual([])
  })
})
