/**
 * Failover tests in parallel workers, again and again: does one fail by chance, and what do they leave? Each worker is
 * a process that plays runs of a hundred: reset, a write, a kill or a stop, a switch, the write again.
 *
 *     node bench/testing/soak.mjs --workers 2 --minutes 10
 */
import { fork } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { pathOf } from '../../scripts/paths.mjs'

const TESTS = 100
/** A switch that takes longer is shown, although no bound is over. */
const SLOW_MS = 10_000

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '10' },
    runs: { type: 'string', default: '200' },
    worker: { type: 'boolean', default: false },
  },
})
if (values.worker) await work()
else lead()

function lead() {
  const total = { runs: 0, tests: 0, failed: 0, slow: 0 }
  const endMs = Date.now() + Number(values.minutes) * 60_000
  const script = fileURLToPath(import.meta.url)
  for (let number = 0; number < Number(values.workers); number++) {
    const worker = fork(script, ['--worker'], { execArgv: ['--expose-gc'] })
    worker.on('message', (run) => {
      total.runs++
      total.tests += run.tests
      total.failed += run.failed.length
      total.slow += run.slow.length
      for (const text of [...run.failed, ...run.slow]) console.log(`${text}\n`)
      const { heapMb, rssMb, sockets, longestMs } = run
      console.log(JSON.stringify({ ...total, worker: number, heapMb, rssMb, sockets, longestMs }))
      const isOver = Date.now() > endMs || total.runs >= Number(values.runs)
      worker.send(isOver ? 'end' : 'next')
    })
    worker.send('next')
  }
}

async function work() {
  const { startCluster } = await import(pathToFileURL(pathOf('dist/library/testing.js')).href)
  process.on('message', async (order) => {
    if (order === 'end') return process.disconnect()
    const run = await playRun(startCluster)
    // What was closed last is gone a few turns later.
    await new Promise((resolve) => setTimeout(resolve, 500))
    global.gc()
    const { heapUsed, rss } = process.memoryUsage()
    const sockets = process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length
    process.send({ ...run, heapMb: mb(heapUsed), rssMb: mb(rss), sockets })
  })
}

const mb = (bytes) => Math.round(bytes / 1024 / 1024)

async function playRun(startCluster) {
  const cluster = await startCluster({ downAfterMs: 100 })
  const run = { tests: 0, failed: [], slow: [], longestMs: 0 }
  for (; run.tests < TESTS; run.tests++) {
    const beganMs = performance.now()
    try {
      await playTest(cluster, run.tests)
    } catch (error) {
      run.failed.push(`${error.message}\n${cluster.timeline()}`)
    }
    const tookMs = Math.round(performance.now() - beganMs)
    run.longestMs = Math.max(run.longestMs, tookMs)
    if (tookMs > SLOW_MS)
      run.slow.push(`test ${run.tests} took ${tookMs} ms\n${cluster.timeline()}`)
  }
  await cluster.stop()
  return run
}

async function playTest(cluster, number) {
  await cluster.reset()
  const value = `${number}`
  await cluster.seed({ key: value })
  const { master } = cluster
  cluster.writes().note('key', value, master)
  if (number % 2 === 0) master.kill()
  else master.stop()
  const next = await cluster.until.switched()
  if (next === master) throw new Error('the master is the same')
  const [lost] = await cluster.writes().lost()
  if (lost !== undefined) throw new Error(`lost: ${lost.story}`)
}
