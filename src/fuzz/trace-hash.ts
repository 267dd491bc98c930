/**
 * A short name for a whole run: two runs with the same one are the same run. It guards against chance,
 * not against malice, so it is made for speed (FNV-1a, twice with different bases).
 */

import type { History } from '../scenario/world.ts'
import { renderTrace } from '../sim/trace.ts'

const PRIME = 0x01_00_01_93

export function traceHash({ happenings, writes, nameOf }: History): string {
  const text = renderTrace(happenings, writes, nameOf)
  return fnv(text, 0x81_1c_9d_c5) + fnv(text, 0x5b_d1_e9_95)
}

function fnv(text: string, basis: number): string {
  let hash = basis
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
