import { announceText } from './events.ts'
import { save } from './memory/save.ts'
import type { Group, Turn } from './state.ts'

/** Somebody has reached an epoch we have not: from now on nothing of ours is older. */
export function adoptEpoch(turn: Turn, group: Group, epoch: number): void {
  if (epoch <= turn.state.currentEpoch) return
  turn.state.currentEpoch = epoch
  save(turn)
  announceText(turn, 'warning', '+new-epoch', group, String(epoch))
}
