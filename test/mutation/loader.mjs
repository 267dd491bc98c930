/** The part of the hook that sees each file as it is loaded. */
import { applyMutation } from './operators.mjs'

let mutation

export function initialize(data) {
  mutation = data
}

export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (!url.endsWith(`/dist/${mutation.file}`)) return loaded
  return { ...loaded, source: applyMutation(Buffer.from(loaded.source).toString('utf8'), mutation) }
}
