/**
 * No failover without a quorum: as many Sentinels as the group asks for really had the master down, when
 * one of them began.
 */
import type { Checker } from './checker.ts'
import type { Scene } from './scene.ts'
import { isAutomatic, Verdicts } from './verdicts.ts'

export function agreedDown(scene: Scene): Checker {
  const verdicts = new Verdicts(scene)
  return {
    name: 'a quorum agrees before a failover',
    observe: (happening) => {
      verdicts.note(happening)
      if (happening.kind !== 'candidacy' || !isAutomatic(happening)) return undefined
      const { process = '', group, electorate } = happening
      const agreed = [...verdicts.behind({ ...happening, process }).keys()]
      if (agreed.length >= electorate.quorum) return undefined
      return `${process} begins a failover of ${group} although only ${agreed.join(', ') || 'nobody'} of the quorum of ${electorate.quorum} had its master down`
    },
  }
}
