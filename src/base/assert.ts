/**
 * Assertions state what we believe about our own code. They stay on in production: a process that has
 * lost track of its own state must stop before it acts on it. Never use them for input from outside.
 */
export function assert(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new Error(`broken invariant: ${claim}`)
}

/** Ends every switch over a union, so that a new variant is a compile error and not a silent gap. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
