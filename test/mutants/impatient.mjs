/** The simulated world, which ends with the first violation: some faults make what follows very long. */

/** What a run ends with when a checker objects. */
export class Violated extends Error {
  constructor(happening) {
    super(happening.text)
    this.happening = happening
  }
}

/** `engine`: that of simulated worlds, from the build under test. */
export function impatient(engine) {
  return {
    ...engine,
    async create(file, seed) {
      const world = await engine.create(file, seed)
      return { ...world, runUntil: (atMs, isMet) => runUntil(world, atMs, isMet) }
    },
  }
}

async function runUntil(world, atMs, isMet) {
  let violation
  const nowMs = await world.runUntil(atMs, (happening) => {
    if (happening.kind === 'violation') violation ??= happening
    return violation !== undefined || isMet?.(happening) === true
  })
  if (violation !== undefined) throw new Violated(violation)
  return nowMs
}
