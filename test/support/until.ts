/** Waits for a condition; an exception means not yet. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  limitMs = 15_000,
): Promise<void> {
  const endMs = performance.now() + limitMs
  let last: unknown
  while (performance.now() < endMs) {
    try {
      if (await holds()) return
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`did not happen within ${limitMs} ms ${last ?? ''}`)
}
