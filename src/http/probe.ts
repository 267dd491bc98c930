/** What all probes have in common: their names, their answer, and how `?lag=` is read. */

export const ROLE_PROBES = ['primary', 'read-write', 'leader', 'replica', 'read-only'] as const
export type RoleProbe = (typeof ROLE_PROBES)[number]

/** 200: yes. 503: no. 400 and 404: the question cannot be answered. */
export interface ProbeAnswer {
  readonly status: 200 | 400 | 404 | 503
  readonly body: Readonly<Record<string, unknown>> & { readonly text: string }
}

export function yes(text: string, facts: Readonly<Record<string, unknown>> = {}): ProbeAnswer {
  return { status: 200, body: { ok: true, ...facts, text } }
}

export function no(text: string, facts: Readonly<Record<string, unknown>> = {}): ProbeAnswer {
  return { status: 503, body: { ok: false, ...facts, text } }
}

export function badQuestion(status: 400 | 404, text: string): ProbeAnswer {
  return { status, body: { ok: false, text } }
}

/** The three names of the same question. */
export function asksForMaster(probe: RoleProbe): boolean {
  return probe === 'primary' || probe === 'read-write' || probe === 'leader'
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1024],
  ['mb', 1024 ** 2],
  ['gb', 1024 ** 3],
])

/** `1048576`, `16kB`, `16MB`, `1GB`: bytes. Undefined: it is no size. */
export function parseLag(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,12})([a-z]*)$/i.exec(text) ?? []
  const factor = UNITS.get(unit?.toLowerCase() ?? '?')
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor
}

export function badLag(text: string): ProbeAnswer {
  return badQuestion(400, `lag=${text} is no number of bytes: write 1048576, 1024kB or 1MB`)
}
