/** What an application met: each line of its log is a moment, and `+`, or `-` and the error. */

/** Attempts in their order, `{ atMs, error }`; without an error they were acknowledged. */
export function readOutcomes(text) {
  return text.split('\n').flatMap((line) => {
    const [, atMs, sign, error] = /^([\d.]+) ([+-])(.*)$/.exec(line) ?? []
    return atMs === undefined
      ? []
      : [{ atMs: Number(atMs), error: sign === '-' ? error : undefined }]
  })
}

/**
 * `stored`: the counter in the end. Lost: acknowledged and not there. Done twice: more than could have been carried
 * out once. A counter that a new master did not inherit whole counts as lost.
 */
export function summarize(outcomes, { fromMs, stored }) {
  const acknowledged = outcomes.filter(({ error }) => error === undefined)
  const errors = outcomes.filter(({ atMs, error }) => error !== undefined && atMs >= fromMs)
  const unknown = outcomes.length - acknowledged.length
  return {
    gapMs: longestGapMs(acknowledged, fromMs),
    errors: errors.length,
    lost: Math.max(0, acknowledged.length - stored),
    // One attempt may be under way.
    twice: Math.max(0, stored - acknowledged.length - unknown - 1),
    kinds: [...new Set(errors.map(({ error }) => error))].slice(0, 8),
  }
}

function longestGapMs(acknowledged, fromMs) {
  let longestMs = 0
  for (const [at, { atMs }] of acknowledged.entries()) {
    const before = acknowledged[at - 1]
    if (before !== undefined && atMs >= fromMs) longestMs = Math.max(longestMs, atMs - before.atMs)
  }
  return longestMs
}
