/**
 * The page at `/` in a real Chromium, beside a real cluster, through a kill, a freeze, Sentinels that are
 * lost, and repair. Every state is read as text, as someone would who sees no colours.
 *
 * `VEDETTE_SCREENSHOTS=folder` keeps a picture of each step.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DashboardPage, HAS_CHROMIUM, PHONE, startBrowser } from '../support/browser.ts'
import {
  agreedMaster,
  follows,
  freePorts,
  HAS_REDIS_CLI,
  type Program,
  type RealCluster,
  startCluster,
  until,
} from '../support/processes.ts'

const TOKEN = 'a-token-of-32-characters-0123456'

describe.skipIf(!HAS_CHROMIUM || !HAS_REDIS_CLI)('(need chromium and redis-cli)', () => {
  let cluster: RealCluster
  let browser: Browser
  let page: Page
  let dashboard: DashboardPage
  let url = ''

  beforeAll(async () => {
    const httpPorts = await freePorts(6)
    url = `http://127.0.0.1:${httpPorts[3]}/`
    // A Sentinel that hung is in TILT, and all is not well while it lasts.
    const sentinelLines = [`http-token: ${TOKEN}`, 'periods: { tilt: 3s }']
    cluster = await startCluster({ httpPorts, sentinelLines })
    browser = await startBrowser()
    page = await browser.newPage({ viewport: { width: 1200, height: 1000 } })
    dashboard = new DashboardPage(page)
    await page.goto(url)
  })
  afterAll(async () => {
    await browser?.close()
    await cluster?.stop()
  })

  const seen = (...about: Parameters<DashboardPage['seen']>) => dashboard.seen(...about)
  const picture = (name: string) => dashboard.picture(name)
  const rowOf = (port: number) => dashboard.rowOf(port)

  test('asks for the token, refuses a wrong one, and shows nothing before', async () => {
    await page.waitForSelector('#access:not([hidden])')
    expect(await page.isHidden('#group')).toBe(true)
    await page.fill('#access-token', 'größe-größe-größe')
    await page.click('#access button')
    await seen('one that cannot be sent is refused', 'access-why', /did not accept/)
    await page.fill('#access-token', 'wrong')
    await page.click('#access button')
    await seen('a wrong token is refused', 'access-why', /did not accept/)
    await page.fill('#access-token', TOKEN)
    await page.click('#access button')
    await seen('a healthy cluster', 'verdict', /^✓ .* is master, and all is well$/)
    await seen('the feed is live', 'feed', /live/)
    await picture('1-healthy')
  })

  test('a killed master is told while it is missed, and its successor afterwards', async () => {
    const [master] = cluster.nodes as [Program]
    await master.kill()
    const promoted = await agreedMaster(cluster)
    await seen('the new master', 'verdict', new RegExp(`:${promoted} is master`))
    await seen(
      'the incident',
      'incidents',
      new RegExp(`:${promoted} took the place of .*:${master.port}`),
    )
    await seen('its id, for vedette incident --id', 'incidents', / · mymaster-[1-9]\d*/)
    await until('the dead node is called down', 20_000, async () =>
      /✗ down/.test(await rowOf(master.port)),
    )
    await picture('2-killed')
    master.start()
    await until('the old master follows', 20_000, () => follows(master, promoted))
    await until('the page calls it a replica', 20_000, async () =>
      /✓ replica/.test(await rowOf(master.port)),
    )
    await seen('all is well again', 'verdict', /all is well/)
  })

  test('a frozen master is replaced, and the dialog asks before a planned way back', async () => {
    const old = await agreedMaster(cluster, 0)
    const frozen = cluster.nodes.find(({ port }) => port === old) as Program
    frozen.signal('SIGSTOP')
    const promoted = await agreedMaster(cluster, old)
    await seen('the new master', 'verdict', new RegExp(`:${promoted} is master`))
    await picture('3-frozen')
    frozen.signal('SIGCONT')
    await until('the thawed master follows', 20_000, () => follows(frozen, promoted))
    await seen('all is well again', 'verdict', /all is well/)
  })

  test('with two of three Sentinels gone it says that nobody could fail over', async () => {
    const [, second, third] = cluster.sentinels as [Program, Program, Program]
    for (const sentinel of [second, third]) sentinel.signal('SIGSTOP')
    await seen('the quorum is out of reach', 'verdict', /^✗ No failover is possible/)
    await seen('what would happen', 'next', /Nothing: 1 Sentinel is in reach/)
    await picture('4-alone')
    for (const sentinel of [second, third]) sentinel.signal('SIGCONT')
    await seen('all is well again', 'verdict', /all is well/)
  })

  test('keys alone reach every control, and the dialog closes with Escape', async () => {
    await page.evaluate(() =>
      (globalThis as { scrollTo?: (x: number, y: number) => void }).scrollTo?.(0, 0),
    )
    await page.focus('#steering select')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#confirm[open]')
    expect(await page.textContent('#confirm-title')).toContain('Fail over mymaster')
    await seen('the plan', 'confirm-body', /would become the master in place of/)
    const plan = await page.evaluate('document.getElementById("confirm-body").innerText')
    expect(plan).toMatch(/would become the master in place of .*\n1\. be elected .*\n2\. /)
    await picture('5-dialog')
    await page.keyboard.press('Escape')
    await page.waitForSelector('#confirm:not([open])', { state: 'attached' })
  })

  test('text that the reader has marked stays marked while figures change', async () => {
    const figures = () => page.textContent('#nodes')
    const marked = () => page.evaluate('getSelection().toString()')
    await page.evaluate(
      `getSelection().selectAllChildren(document.querySelector('#nodes td.name'))`,
    )
    const before = await figures()
    const text = await marked()
    expect(text).toMatch(/^127\.0\.0\.1:\d+$/)
    await until('other figures', 20_000, async () => (await figures()) !== before)
    expect(await marked()).toBe(text)
  })

  test('what was typed and chosen for an order stays when a replica is lost and comes back', async () => {
    const master = await agreedMaster(cluster, 0)
    const [lost, other] = cluster.nodes.filter(({ port }) => port !== master) as [Program, Program]
    const typed = () =>
      page.evaluate(
        '[...document.querySelectorAll("#steering :is(select, input)")].map((e) => e.value)',
      )
    await page.selectOption('#steering select', `127.0.0.1:${lost.port}`)
    await page.uncheck('#steering input[type=checkbox]')
    await page.fill('#steering input[maxlength]', 'a kernel upgrade')
    const before = await typed()
    lost.signal('SIGSTOP')
    await seen('a replica is down', 'verdict', new RegExp(`:${lost.port} is down`))
    expect(await typed()).toEqual(before)
    expect(await page.isChecked('#steering input[type=checkbox]')).toBe(false)
    expect(await page.evaluate('document.activeElement.value')).toBe('a kernel upgrade')
    lost.signal('SIGCONT')
    await seen('all is well again', 'verdict', /all is well/)
    expect(await typed()).toEqual(before)
    await page.selectOption('#steering select', `127.0.0.1:${other.port}`)
    await page.selectOption('#steering select', '')
    await page.check('#steering input[type=checkbox]')
    await page.fill('#steering input[maxlength]', '')
  })

  test('of a Sentinel that hangs the dialog opens at once, and says so after five seconds', async () => {
    const [own] = cluster.sentinels as [Program]
    own.signal('SIGSTOP')
    try {
      await page.click('#steering form:first-child button')
      await page.waitForSelector('#confirm[open]', { timeout: 2_000 })
      await seen('it is asked', 'confirm-body', /Asking the Sentinel/)
      expect(await page.isDisabled('#confirm-do')).toBe(true)
      await seen('it hangs', 'confirm-body', /✗ The Sentinel does not answer/, 10_000)
      await until('the tab says so', 10_000, async () =>
        /^✗ nothing heard: mymaster/.test(await page.title()),
      )
      expect(await page.isDisabled('#confirm-do')).toBe(true)
    } finally {
      own.signal('SIGCONT')
    }
    await page.click('#confirm button[value=close]')
    await page.click('#steering form:first-child button')
    await seen('it answers again', 'confirm-body', /would become the master in place of/)
    await page.click('#confirm button[value=close]')
    await seen('all is well again', 'verdict', /all is well/)
    await until('the tab says so', 10_000, async () => /^✓ mymaster/.test(await page.title()))
  })

  test('a planned handover by the page changes the master', async () => {
    const old = await agreedMaster(cluster, 0)
    await page.click('#steering form:first-child button')
    await page.click('#confirm-do')
    await seen('the order was taken', 'confirm-result', /^✓/)
    const promoted = await agreedMaster(cluster, old, 20_000)
    await page.click('#confirm button[value=close]')
    await seen('the new master', 'verdict', new RegExp(`:${promoted} is master`))
  })

  test('fits a phone: nothing is wider than the screen', async () => {
    await page.setViewportSize(PHONE)
    await page.emulateMedia({ colorScheme: 'dark' })
    await until('it is drawn for the phone', 10_000, async () => {
      return (await dashboard.lanesWidth()) <= PHONE.width
    })
    const wide: number = await page.evaluate('document.documentElement.scrollWidth')
    await picture('6-phone')
    expect(wide).toBeLessThanOrEqual(PHONE.width)
  })

  test.each([700, 794])(
    'on half a window or on paper (%i pixels) no column is cut off',
    async (width) => {
      await page.setViewportSize({ width, height: 1_123 })
      const widths: number[] = await page.evaluate(
        '["nodes", "sentinels"].map((id) => document.getElementById(id)).flatMap((e) => [e.scrollWidth, e.clientWidth])',
      )
      expect([widths[0], widths[2]]).toEqual([widths[1], widths[3]])
    },
  )

  test('nothing was refused by the policy, and no script failed', () => {
    expect(dashboard.complaints).toEqual([])
  })
})
