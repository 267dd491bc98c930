/**
 * The page of a Sentinel that watches many groups, with the names that people give: which one is shown, and
 * what a refresh leaves as the reader has it. None of them has a node.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DashboardPage, HAS_CHROMIUM, PHONE, startBrowser } from '../support/browser.ts'
import {
  cli,
  freePorts,
  HAS_REDIS_CLI,
  type Program,
  sentinel,
  until,
} from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const LONG = 'x'.repeat(200)
const NAMES = ['größe', '名前', 'a%b', 'a#b?c', '<b>bold</b>', LONG, 'last']

describe.skipIf(!HAS_CHROMIUM || !HAS_REDIS_CLI)('(need chromium and redis-cli)', () => {
  const folder = scratchFolder('groups')
  let program: Program
  let browser: Browser
  let page: Page
  let dashboard: DashboardPage
  let url = ''

  beforeAll(async () => {
    const [port = 0, http = 0, master = 0] = await freePorts(3)
    url = `http://127.0.0.1:${http}/`
    program = sentinel(folder, port, { master, quorum: 1, lines: [`http-port: ${http}`] })
    program.start()
    await until('it answers', 30_000, async () => (await fetch(`${url}liveness`)).ok)
    for (const name of NAMES) cli(port, 'SENTINEL', 'MONITOR', name, '127.0.0.1', `${master}`, '1')
    browser = await startBrowser()
    page = await browser.newPage({ viewport: { width: 1200, height: 500 } })
    dashboard = new DashboardPage(page)
  })
  afterAll(async () => {
    await browser?.close()
    await program?.kill()
  })
  beforeEach(async () => {
    await page.goto('about:blank')
  })

  const shows = (name: string) =>
    until(`it shows ${name}`, 10_000, async () =>
      (await page.title()).includes(`${name} – Vedette`),
    )

  /** Until the page has drawn what the Sentinel said after this moment: it asks again when it has. */
  const refreshed = async () => {
    for (const _ of [1, 2]) await page.waitForResponse(/cluster$/)
  }

  test.each(NAMES)('the link of a group leads to it: %s', async (name) => {
    await page.goto(url)
    await page.getByRole('link', { name, exact: false }).click()
    await shows(name)
    expect(dashboard.complaints).toEqual([])
  })

  test('the skip link leads to the verdict of the group that is shown', async () => {
    await page.goto(`${url}#last`)
    await shows('last')
    await page.focus('.skip')
    await page.keyboard.press('Enter')
    await refreshed()
    expect(await page.evaluate('document.activeElement.id')).toBe('verdict')
    await shows('last')
  })

  test('the list of changes stays open, and the key on it, over a refresh', async () => {
    await page.goto(`${url}#last`)
    await shows('last')
    await page.focus('#lanes + details summary')
    await page.keyboard.press('Enter')
    await refreshed()
    expect(await page.getAttribute('#lanes + details', 'open')).toBe('')
    expect(await page.evaluate('document.activeElement.id')).toBe('changes-title')
  })

  test('a click on a link, then scrolling: no refresh goes back to the link', async () => {
    await page.goto(url)
    await page.getByRole('link', { name: 'last' }).click()
    await shows('last')
    await page.mouse.wheel(0, 400)
    await until('it is scrolled', 5_000, async () => Number(await page.evaluate('scrollY')) >= 300)
    await refreshed()
    expect(Number(await page.evaluate('scrollY'))).toBeGreaterThanOrEqual(300)
  })

  test('of many groups a dozen are in sight, and a line that counts all opens the rest', async () => {
    const more = Array.from({ length: 10 }, (_, at) => `more${at}`)
    for (const name of more) cli(program.port, 'SENTINEL', 'MONITOR', name, '127.0.0.1', '1', '1')
    await page.goto(`${url}#last`)
    await until('all are counted', 10_000, async () =>
      /^18 groups: /.test((await page.textContent('#all-groups-title')) ?? ''),
    )
    expect(await page.locator('#groups a').count()).toBe(12)
    await page.click('#all-groups-title')
    await refreshed()
    await page.locator('#all-groups a', { hasText: 'more9' }).click()
    await shows('more9')
    for (const name of more) cli(program.port, 'SENTINEL', 'REMOVE', name)
    expect(dashboard.complaints).toEqual([])
  })

  test('the longest name fits a phone: its link, its group and what is asked before an order', async () => {
    await page.setViewportSize(PHONE)
    await page.goto(`${url}#${LONG}`)
    await shows(LONG)
    await page.getByRole('button', { name: 'Pause …' }).click()
    await page.waitForSelector('#confirm[open]')
    const widths = ['document.documentElement', 'document.getElementById("confirm")'].map((one) =>
      page.evaluate<number>(`${one}.scrollWidth`),
    )
    expect(Math.max(...(await Promise.all(widths)))).toBeLessThanOrEqual(PHONE.width)
    await page.setViewportSize({ width: 1200, height: 500 })
  })

  test.each(['nosuch', '%zz'])(
    'an address that names no group shows none, whose orders would go elsewhere: #%s',
    async (hash) => {
      await page.goto(`${url}#${hash}`)
      await dashboard.seen('that there is none', 'no-group', new RegExp(`no group called ${hash}`))
      expect(await page.isHidden('#group')).toBe(true)
      await page.getByRole('link', { name: 'last' }).click()
      await shows('last')
      expect(await page.isHidden('#no-group')).toBe(true)
      expect(dashboard.complaints).toEqual([])
    },
  )

  test('six tabs that nobody looks at leave the connections of the browser to the one that is read', async () => {
    const context = await browser.newContext()
    try {
      for (let at = 0; at < 6; at++) await (await hiddenTab(context)).goto(url)
      const read = await context.newPage()
      await read.goto(url, { timeout: 10_000 })
      await new DashboardPage(read).seen('it follows', 'feed', /live/, 10_000)
    } finally {
      await context.close()
    }
  })

  test('a tab reads the events only while somebody looks at it', async () => {
    const context = await browser.newContext()
    try {
      const tab = await hiddenTab(context)
      const isEvents = (request: { url(): string }) => request.url().endsWith('/events')
      await tab.goto(url)
      await new DashboardPage(tab).seen('it refreshes all the same', 'feed', /live/)
      const opened = tab.waitForRequest(isEvents)
      await tab.evaluate('turn(false)')
      await opened
      const closed = tab.waitForEvent('requestfailed', isEvents)
      await tab.evaluate('turn(true)')
      await closed
      await new DashboardPage(tab).seen('that is no trouble', 'feed', /live/)
    } finally {
      await context.close()
    }
  })

  test('where no replica is known nobody is said to stand for election', async () => {
    await page.goto(`${url}#last`)
    await dashboard.seen(
      'why nothing would be done',
      'next',
      /^Nothing: no replica is known\.(?!.*stand first)/,
    )
  })

  test('what goes on behind a hole as it was is no change', async () => {
    const nowMs = Date.now()
    const span = (fromMs: number, toMs: number, state: string) => ({
      ...{ fromMs: nowMs + fromMs, toMs: nowMs + toMs, state },
    })
    const spans = [span(-600_000, -500_000, 'master'), span(-60_000, -9_000, 'master')]
    const lane = { kind: 'node', address: 'a:1', spans: [...spans, span(-9_000, 0, 'odown')] }
    const groups = [{ name: 'last', lanes: [lane] }]
    await page.route('**/timeline', (route) =>
      route.fulfill({ json: { nowMs, fromMs: nowMs - 3_600_000, groups } }),
    )
    await page.goto(`${url}#last`)
    await dashboard.seen('one change', 'changes-title', /\(1\)/)
    expect(await page.textContent('#changes')).toMatch(/ {2}a:1: down for the quorum$/)
    await page.unroute('**/timeline')
  })

  test('an answer that never comes is given up, and the next one is drawn', async () => {
    await page.route('**/cluster', () => undefined, { times: 1 })
    await page.goto(`${url}#last`)
    await dashboard.seen('it follows', 'feed', /live/)
  })
})

/** A browser without windows shows every tab: this one is told that it is behind another. */
async function hiddenTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.addInitScript(`
    let isHidden = true
    Object.defineProperty(document, 'hidden', { get: () => isHidden })
    globalThis.turn = (next) => {
      isHidden = next
      document.dispatchEvent(new Event('visibilitychange'))
    }
  `)
  return page
}
