/**
 * A run's results, a line of JSON each, written as they come: `{ kind: 'run' }` with what was drawn, then
 * a `play` for each history and test file that was recorded, then a `verdict` for each change. A run that was interrupted goes on from them.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'

export class Results {
  #path
  recorded = []
  verdicts = []

  /** `head`: what has to be the same for a run to be continued. Undefined path: nothing is kept. */
  constructor(path, head) {
    this.#path = path
    if (path === undefined) return
    if (existsSync(path)) this.#readBack(path, head)
    else writeFileSync(path, `${JSON.stringify({ kind: 'run', ...head })}\n`)
  }

  record(play) {
    this.recorded.push(play)
    this.#append({ kind: 'play', play })
  }

  add(verdict) {
    this.verdicts.push(verdict)
    this.#append({ kind: 'verdict', ...verdict })
  }

  #append(line) {
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(line)}\n`)
  }

  #readBack(path, head) {
    const { run, recorded, verdicts } = readResults(path)
    for (const [key, value] of Object.entries(head)) {
      if (JSON.stringify(run?.[key]) === JSON.stringify(value)) continue
      throw new Error(`${path} is of another run: ${key} was ${run?.[key]} and is ${value}`)
    }
    this.recorded = recorded
    this.verdicts = verdicts
  }
}

/** The last line may have been cut short with the run; it is left out. */
export function readResults(path) {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1).map(parse)
  const of = (kind) => lines.filter((line) => line?.kind === kind)
  return {
    run: of('run')[0],
    recorded: of('play').map(({ play }) => play),
    verdicts: of('verdict'),
  }
}

function parse(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
