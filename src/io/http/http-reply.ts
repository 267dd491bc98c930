/** Answers as JSON. Their texts are byte strings, so the bytes of the JSON are UTF-8 again. */

import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { soundUtf8 } from '../../base/utf8.ts'

export function json(c: Context, status: ContentfulStatusCode, body: unknown): Response {
  return jsonDocument(c, status, jsonBytes(body))
}

export function jsonBytes(body: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(soundUtf8(`${JSON.stringify(body)}\n`), 'latin1'))
}

/** `bytes`: JSON that has been made already. */
export function jsonDocument(
  c: Context,
  status: ContentfulStatusCode,
  bytes: Uint8Array,
): Response {
  return c.body(bytes as Uint8Array<ArrayBuffer>, status, { 'Content-Type': 'application/json' })
}

/** `text`: what is wrong and how to mend it; ASCII. */
export function refusal(c: Context, status: ContentfulStatusCode, text: string): Response {
  return json(c, status, { ok: false, text })
}
