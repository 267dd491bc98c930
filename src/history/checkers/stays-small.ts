/**
 * What a machine holds stays as large as its cluster: whatever it keeps for each failover, connection or
 * client that is over would grow for ever. Sizes are measured in calm moments (the step `measure`); the first
 * measures of a process show what it needs, and later ones must not be far beyond them, for two measures running:
 * something may be going on at one of them.
 */
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'

const BASE_MEASURES = 3
const FACTOR = 2
/** Few of anything are no leak. */
const SLACK = 24

type Measure = Happening & { readonly kind: 'sizes' }

interface Grown {
  base: number
  isOver: boolean
}

export function staysSmall(): Checker {
  const measures = new Map<string, number>()
  const known = new Map<string, Grown>()
  return {
    name: 'machines stay small',
    observe: (happening) => {
      if (happening.kind !== 'sizes') return undefined
      const count = (measures.get(happening.process ?? '') ?? 0) + 1
      measures.set(happening.process ?? '', count)
      return excess(happening, count <= BASE_MEASURES, known)
    },
  }
}

function excess({ process, sizes }: Measure, isBase: boolean, known: Map<string, Grown>) {
  const found: string[] = []
  for (const [path, size] of Object.entries(sizes)) {
    const key = `${process} ${path}`
    const grown = known.get(key) ?? { base: 0, isOver: false }
    known.set(key, grown)
    if (isBase) grown.base = Math.max(grown.base, size)
    const isOver = size > FACTOR * grown.base + SLACK
    if (isOver && grown.isOver) found.push(`${path} from ${grown.base} to ${size}`)
    grown.isOver = isOver
  }
  return found.length === 0 ? undefined : `${process} has grown: ${found.join(', ')}`
}

/** Far more than any real deployment has, and far fewer than a stranger can make up. */
const KNOWN_MAX = 1_200

/** No Sentinel fills its memory with peers and replicas that a stranger made up. */
export function boundedCrowd(): Checker {
  return {
    name: 'made-up instances are bounded',
    observe: (happening) => {
      if (happening.kind !== 'crowd') return undefined
      const { process, group, peers, replicas } = happening
      if (peers <= KNOWN_MAX && replicas <= KNOWN_MAX) return undefined
      return `${process} knows ${peers} peers and ${replicas} replicas of ${group}`
    },
  }
}
