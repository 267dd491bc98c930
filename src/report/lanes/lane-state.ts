/** The state of a process for a while, as seen from outside. */
import { unreachable } from '../../base/assert.ts'

export type LaneState =
  | { readonly kind: 'down' }
  /** There is no record of it. */
  | { readonly kind: 'unknown' }
  /** It runs and takes no input. */
  | { readonly kind: 'paused' }
  /** It runs, and has not said its role yet. */
  | { readonly kind: 'starting' }
  /** `refuses` is the code of the error that its last write got; undefined if none was refused. */
  | { readonly kind: 'master'; readonly refuses: string | undefined }
  | { readonly kind: 'replica'; readonly of: string; readonly isLinkUp: boolean }
  /** A Sentinel, and the master it names to clients: one text for all its groups. */
  | { readonly kind: 'watching'; readonly names: string; readonly isTilted: boolean }
  /** A client whose writes that node acknowledges. */
  | { readonly kind: 'served'; readonly by: string }
  /** A client without acknowledgements; `code` if it gets errors instead. */
  | { readonly kind: 'waiting'; readonly code: string | undefined }

export function wordState(state: LaneState): string {
  switch (state.kind) {
    case 'down':
    case 'paused':
    case 'starting':
      return state.kind
    case 'unknown':
      return 'no record'
    case 'master':
      return state.refuses === undefined ? 'master' : `master, refuses writes (${state.refuses})`
    case 'replica':
      return `replica of ${state.of}${state.isLinkUp ? '' : ', link down'}`
    case 'watching':
      return (
        [...(state.isTilted ? ['TILT'] : []), ...wordNamed(state.names)].join(', ') || 'starting'
      )
    case 'served':
      return `writes acknowledged by ${state.by}`
    case 'waiting':
      return `no write acknowledged${state.code === undefined ? '' : ` (${state.code})`}`
    default:
      return unreachable(state)
  }
}

function wordNamed(names: string): string[] {
  return names === '' ? [] : [`names ${names}`]
}

export function isSameState(a: LaneState, b: LaneState): boolean {
  return wordState(a) === wordState(b) && a.kind === b.kind
}
