/** What the launcher starts, by name: each program loads only itself. The bundle is made from this file. */
export { withoutOwnFlags } from '../io/process/engine-flags.ts'
export { onceStarted } from '../io/process/once-started.ts'

export const PROGRAMS = {
  vedette: () => import('../cli/main.ts'),
  'vedette-sentinel': () => import('../cli/vedette-sentinel.ts'),
  'vedette-server': () => import('../cli/vedette-server.ts'),
} as const

export type ProgramName = keyof typeof PROGRAMS
