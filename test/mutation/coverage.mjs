/** How often each place of compiled code was executed since the last look, as V8 counts its blocks. */
import { Session } from 'node:inspector'

/** In a test, vitest loads this module a second time: one session per process, wherever it is asked for. */
const SESSION = Symbol.for('vedette mutation coverage')

/** Before the code in question is loaded. */
export function beginCoverage() {
  const session = new Session()
  globalThis[SESSION] = session
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
}

/**
 * `places`: for each change `[{ file, offset }]`. Returns `[[index, count]]` for those executed since the
 * last call.
 */
export function takeCoverage(places) {
  const scripts = take()
  const counts = places.map((own) =>
    own.reduce((sum, { file, offset }) => sum + countAt(scripts.get(file), offset), 0),
  )
  return counts.flatMap((count, index) => (count > 0 ? [[index, count]] : []))
}

function take() {
  const scripts = new Map()
  globalThis[SESSION].post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error
    for (const { url, functions } of coverage.result) {
      const at = url.lastIndexOf('/dist/')
      if (!url.startsWith('file:') || at < 0) continue
      scripts.set(
        url.slice(at + '/dist/'.length),
        functions.flatMap(({ ranges }) => ranges),
      )
    }
  })
  return scripts
}

/** The innermost block that V8 knows about. */
function countAt(ranges = [], offset) {
  let innermost
  for (const range of ranges) {
    if (range.startOffset > offset || range.endOffset <= offset) continue
    if (innermost === undefined || lengthOf(range) <= lengthOf(innermost)) innermost = range
  }
  return innermost?.count ?? 0
}

function lengthOf({ startOffset, endOffset }) {
  return endOffset - startOffset
}
