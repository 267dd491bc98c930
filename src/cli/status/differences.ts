/** Which Sentinel has which value, as `2 on 10.0.0.1:26379; 3 on 10.0.0.2:26379`; undefined if all have the same. */
export function differences(
  values: readonly (readonly [address: string, value: string])[],
): string | undefined {
  const byValue = new Map<string, string[]>()
  for (const [address, value] of values) {
    byValue.set(value, [...(byValue.get(value) ?? []), address])
  }
  if (byValue.size < 2) return undefined
  return [...byValue]
    .map(([value, addresses]) => `${value || '""'} on ${addresses.join(', ')}`)
    .join('; ')
}
