/** `vedette status`: what all Sentinels of a group think, side by side. */
import { setTimeout } from 'node:timers/promises'
import { createLogUpdate } from 'log-update'
import pc from 'picocolors'
import { type AccessOptions, readAccess } from './status/access.ts'
import { askAll } from './status/ask.ts'
import { judge, type Report } from './status/judge.ts'
import { statusText } from './status/text.ts'
import { detectionOf } from './status/view.ts'

export interface StatusOptions extends AccessOptions {
  readonly sentinel?: readonly string[]
  readonly watch?: boolean
  readonly json?: boolean
}

export const DEFAULT_SENTINEL_ADDRESS = '127.0.0.1:26379'

const EXIT_BY_HEALTH = { well: 0, trouble: 1, danger: 3 } as const
export const EXIT_NO_ANSWER = 4
const WATCH_MS = 1_000

/** The exit status tells the health of the worst group. */
export async function runStatus(
  group: string | undefined,
  options: StatusOptions,
): Promise<number> {
  const access = readAccess(options)
  const addresses = options.sentinel ?? [DEFAULT_SENTINEL_ADDRESS]
  const look = async () => judge(await askAll(addresses, access), group)
  if (options.watch === true) return await watch(look, group, options.json === true)
  const report = await look()
  process.stdout.write(`${options.json === true ? toJson(report) : statusText(report)}\n`)
  return exitStatus(report, group)
}

function exitStatus(report: Report, group: string | undefined): number {
  if (report.sentinels.every(({ failure }) => failure !== undefined)) return EXIT_NO_ANSWER
  if (report.groups.length === 0 && group !== undefined) return EXIT_BY_HEALTH.danger
  return EXIT_BY_HEALTH[report.health]
}

/** Until Ctrl-C. On a terminal the same place is drawn over; elsewhere each round is written out. */
async function watch(
  look: () => Promise<Report>,
  group: string | undefined,
  isJson: boolean,
): Promise<number> {
  const draw = process.stdout.isTTY && !isJson ? createLogUpdate(process.stdout) : undefined
  const pause = untilInterrupted()
  for (;;) {
    const report = await look()
    const text = isJson ? toJson(report) : statusText(report)
    if (draw === undefined) process.stdout.write(isJson ? `${text}\n` : `${text}\n\n`)
    else draw(`${text}\n\n${pc.dim(`${new Date().toLocaleTimeString()}  Ctrl-C ends`)}`)
    if (await pause()) {
      draw?.done()
      return exitStatus(report, group)
    }
  }
}

/** Gives a pause between two rounds, which Ctrl-C ends: then it is true. */
function untilInterrupted(): () => Promise<boolean> {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  process.once('SIGTERM', () => interrupted.abort())
  return () => setTimeout(WATCH_MS, false, { signal: interrupted.signal }).catch(() => true)
}

/** One line a round. */
function toJson({ health, sentinels, groups }: Report): string {
  return JSON.stringify({
    health,
    sentinels: sentinels.map(({ address, myid, program, isTilted, failure }) => ({
      address,
      id: myid,
      program,
      tilt: isTilted,
      failure: failure ?? null,
    })),
    groups: groups.map(({ name, findings, says }) => ({
      name,
      findings,
      views: says.map(({ sentinel, group }) => ({
        sentinel: sentinel.address,
        ...detectionOf(group.master),
        ...group,
      })),
    })),
  })
}
