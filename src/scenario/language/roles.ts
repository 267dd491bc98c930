/**
 * A role stands for the process that has it when a step is done: a scenario can kill the leader of
 * an election without knowing which Sentinel that will be. Where a host is wanted, a role means the
 * host on which its process lives.
 */
export const ROLES = ['the-master', 'the-leader', 'the-promoted', 'the-witness'] as const

export type RoleName = (typeof ROLES)[number]

export function isRole(name: string): name is RoleName {
  return (ROLES as readonly string[]).includes(name)
}

/** No process may have a name that begins like a role: a slip of the finger would make it one. */
export function isReserved(name: string): boolean {
  return name.startsWith('the-')
}
