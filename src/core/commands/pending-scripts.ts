/** SENTINEL PENDING-SCRIPTS: what waits to be run, what runs, and how often it has been tried. */
import { array, bulk, bulks, type Reply } from '../../resp/reply.ts'
import type { ScriptJob } from '../scripts/script-job.ts'
import type { Turn } from '../state.ts'

export function pendingScripts(turn: Turn): Reply {
  const jobs = [...turn.state.scripts.jobs.values()]
  return array(jobs.map((job) => describe(job, turn.now.monoMs)))
}

/** Numbers go as bulk strings, like in all maps of a Sentinel. */
function describe({ argv, run, notBeforeMs, executions }: ScriptJob, nowMs: number): Reply {
  const time =
    run === undefined
      ? field('run-delay', Math.max(0, notBeforeMs - nowMs))
      : field('run-time', nowMs - run.sinceMs)
  return {
    kind: 'map',
    entries: [
      [bulk('argv'), bulks(argv)],
      field('flags', run === undefined ? 'scheduled' : 'running'),
      field('pid', run?.pid ?? 0),
      time,
      field('retry-num', executions),
    ],
  }
}

function field(name: string, value: string | number): readonly [Reply, Reply] {
  return [bulk(name), bulk(String(value))]
}
