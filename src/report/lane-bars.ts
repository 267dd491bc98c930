import { unreachable } from '../base/assert.ts'
import type { Painter } from '../scenario/report.ts'
import type { LaneState } from './lane-state.ts'

/** One character for what a process is; without colours it must still tell masters from the rest. */
export function barOf(state: LaneState, paint: Painter): string {
  switch (state.kind) {
    case 'down':
      return paint.dim('·')
    case 'paused':
      return paint.dim('░')
    case 'starting':
      return paint.dim('╵')
    case 'master':
      return state.refuses === undefined ? paint.good('█') : paint.bad('▒')
    case 'replica':
      return state.isLinkUp ? '│' : paint.dim('┊')
    case 'watching':
      return state.isTilted ? paint.bad('≈') : '│'
    case 'served':
      return paint.good('│')
    case 'waiting':
      return paint.bad('┊')
    default:
      return unreachable(state)
  }
}

/** The bars that do not explain themselves. */
export const LEGEND: readonly { readonly state: LaneState; readonly word: string }[] = [
  { state: { kind: 'master', refuses: undefined }, word: 'master' },
  { state: { kind: 'master', refuses: 'NOREPLICAS' }, word: 'refuses writes' },
  { state: { kind: 'replica', of: '', isLinkUp: true }, word: 'up' },
  { state: { kind: 'replica', of: '', isLinkUp: false }, word: 'not connected' },
  { state: { kind: 'watching', names: '', isTilted: true }, word: 'TILT' },
  { state: { kind: 'paused' }, word: 'paused' },
  { state: { kind: 'down' }, word: 'down' },
]
