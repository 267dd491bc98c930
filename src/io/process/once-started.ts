/** Work that can wait until a daemon listens. */

const waiting: (() => void)[] = []

/** Calls it once, when this process has become a daemon that listens; never in a program that only answers. */
export function onceStarted(work: () => void): void {
  waiting.push(work)
}

/** The daemon listens. */
export function tellStarted(): void {
  for (const work of waiting.splice(0)) work()
}
