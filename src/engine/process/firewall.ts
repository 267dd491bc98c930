/**
 * What the bridge between the hosts drops, as a ruleset of nftables. The observer is behind the
 * same bridge and in no rule: no fault affects what it sees.
 */
export interface Drop {
  readonly fromIp: string
  readonly toIp: string
  /** Share of packets, 0..1; 1 is a cut. */
  readonly share: number
}

/** Loss is drawn in steps of this many. */
const PARTS = 100_000

/** Replaces all present rules, in one transaction. */
export function renderFirewall(drops: readonly Drop[]): string {
  const cuts = drops.filter(({ share }) => share >= 1)
  const leaks = drops.filter(({ share }) => share < 1 && share > 0)
  const blocked = cuts.map(({ fromIp, toIp }) => `${fromIp} . ${toIp}`)
  return `${[
    'table bridge vedette {',
    '}',
    'delete table bridge vedette',
    'table bridge vedette {',
    '  set blocked {',
    '    type ipv4_addr . ipv4_addr',
    ...(blocked.length === 0 ? [] : [`    elements = { ${blocked.join(', ')} }`]),
    '  }',
    '  chain forward {',
    '    type filter hook forward priority 0; policy accept;',
    '    ip saddr . ip daddr @blocked drop',
    ...leaks.map((leak) => `    ${renderLeak(leak)}`),
    '  }',
    '}',
  ].join('\n')}\n`
}

function renderLeak({ fromIp, toIp, share }: Drop): string {
  const below = Math.round(share * PARTS)
  return `ip saddr ${fromIp} ip daddr ${toIp} numgen random mod ${PARTS} < ${below} drop`
}
