/** A real Chromium, for the pages that operators read. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { until } from './processes.ts'

const BROWSER = '/usr/bin/chromium'
export const HAS_CHROMIUM = existsSync(BROWSER)
export const PHONE = { width: 360, height: 740 }

/** A process that says nothing of itself to the network, which may have none. */
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: BROWSER, args: QUIET })
}

/** The dashboard as somebody reads it who sees no colours: everything as text. */
export class DashboardPage {
  readonly page: Page
  /** Scripts that failed, and what the content security policy refused. */
  readonly complaints: string[] = []

  constructor(page: Page) {
    this.page = page
    page.on('pageerror', (error) => this.complaints.push(error.message))
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) this.complaints.push(message.text())
    })
  }

  /** Waits until an element says something like this, and returns all it says. */
  seen(what: string, id: string, pattern: RegExp, boundMs = 30_000): Promise<string> {
    return until(what, boundMs, async () => {
      const text = (await this.page.textContent(`#${id}`)) ?? ''
      if (!pattern.test(text)) throw new Error(`#${id} says: ${text}`)
      return text
    })
  }

  /** A row of the nodes. */
  async rowOf(port: number): Promise<string> {
    const row = this.page.locator('#nodes tbody tr', { hasText: `:${port}` })
    return (await row.allInnerTexts()).join(' ')
  }

  /** For which width the lanes were drawn; their letters shrink if they are shown on less. */
  async lanesWidth(): Promise<number> {
    const box = await this.page.locator('#lanes > svg').getAttribute('viewBox')
    return Number(box?.split(' ')[2] ?? Number.POSITIVE_INFINITY)
  }

  /** `VEDETTE_SCREENSHOTS=folder` keeps it. */
  async picture(name: string): Promise<void> {
    const folder = process.env.VEDETTE_SCREENSHOTS
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    await this.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  }
}
