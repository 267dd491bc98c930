/** The head of a segment as text and back. */
import { byteJson, jsonIn } from '../base/json.ts'
import { RecordFault } from './block.ts'
import type { RecordHead } from './recorder.ts'

/** A byte string. */
export function headText(head: RecordHead): string {
  return byteJson(JSON.stringify(head))
}

/** Throws a RecordFault. */
export function readHead(text: string): RecordHead {
  const head = jsonIn(text) as Partial<RecordHead> | undefined
  const { now, image, myid, program, confidants } = head ?? {}
  const isMoment = Number.isSafeInteger(now?.monoMs) && Number.isSafeInteger(now?.wallMs)
  const isWhole = typeof image === 'string' && typeof myid === 'string' && Array.isArray(confidants)
  if (!isMoment || !isWhole || typeof program !== 'string')
    throw new RecordFault('the head of the segment is not complete')
  return head as RecordHead
}
