/** Several applications write to one cluster: each has its own keys, one for each number. */
export function keyOf(application, number) {
  return `${application}:${number}`
}
