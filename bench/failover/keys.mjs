/** Several applications write to one cluster: each has keys of its own, one for each number. */
export function keyOf(application, number) {
  return `${application}:${number}`
}
