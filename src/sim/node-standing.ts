import type { Standing } from './happening.ts'

/** What INFO replication says of a node, in the terms a choice is made in. */
export function readStanding(report: {
  readonly lines: readonly string[]
  readonly runId: string
}): Omit<Standing, 'node' | 'address'> {
  const fields = new Map(report.lines.map((line) => fieldOf(line)))
  return {
    isReplica: fields.get('role') === 'slave',
    isLinkUp: fields.get('master_link_status') === 'up',
    priority: Number(fields.get('slave_priority') ?? 100),
    offset: Number(fields.get('slave_repl_offset') ?? 0),
    runId: report.runId,
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1)]
}
