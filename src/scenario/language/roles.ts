/**
 * Roles stand for whoever has them when a step is done: a scenario can kill the leader of an election
 * without knowing who that will be. Where a host is wanted, a role means the host its process lives on.
 */
export const ROLES = ['the-master', 'the-leader', 'the-promoted', 'the-witness'] as const

export type Role = (typeof ROLES)[number]

export function isRole(name: string): name is Role {
  return (ROLES as readonly string[]).includes(name)
}

/** Nobody's name may begin like a role: a slip of the finger would make it one. */
export function isReserved(name: string): boolean {
  return name.startsWith('the-')
}
