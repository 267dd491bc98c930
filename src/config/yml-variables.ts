// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references of a sentinel.yml
/**
 * Values of a sentinel.yml that stand elsewhere: `${env:NAME}` is a variable of the environment, `${file:/path}` the
 * text of a file, such as a secret that an orchestrator mounts. They may be a whole value or a part of one; `$${env:NAME}`
 * is the text itself. Nothing else that begins with a dollar has a meaning, so no password that
 * stood in a file before there were variables changes. A reload reads the files again.
 */
import type { ConfOutside } from './config-filesystem.ts'
import type { Location, Problem } from './problem.ts'
import { isNumberOption } from './sentinel-schema.ts'
import { addressOf, type YmlDocument } from './yml-document.ts'

const REFERENCE = /(\$?)\$\{(env|file):([^}]*)\}/g
/** What people who are used to shells write. */
const SHELL_LIKE = /^\$\{[A-Za-z_]\w*\}$/

/** The document with each reference replaced; what cannot be found is a problem at its line. */
export function withValuesFrom(
  outside: ConfOutside,
  document: YmlDocument,
  file: string,
): YmlDocument {
  if (document.root === undefined) return document
  const problems: Problem[] = []
  const root = mapTexts(document.root, [], (text, path) => {
    if (!text.includes('${')) return text
    const value = text.replace(REFERENCE, (whole, dollar: string, kind: string, name: string) => {
      if (dollar !== '') return whole.slice(1)
      const found = kind === 'env' ? variable(outside, name) : secret(outside, name)
      if (found.ok) return found.text
      const { reason, hint } = found
      const place = placeOf(document, path)
      const message = `${whole}: ${reason}`
      problems.push({ severity: 'error', code: 'E_VALUE', file, ...place, message, hint })
      return ''
    })
    // YAML has made numbers of the others already.
    return isNumberOption(path.at(-1)) && /^\d{1,15}$/.test(value) ? Number(value) : value
  })
  return { ...document, root, problems: [...document.problems, ...problems] }
}

/** `${NAME}` as a whole value is text, and probably not meant as text. */
export function literalWarnings(document: YmlDocument, file: string): readonly Problem[] {
  const warnings: Problem[] = []
  mapTexts(document.root, [], (text, path) => {
    if (SHELL_LIKE.test(text)) {
      const message = `${text} is taken as it stands, and not as a variable`
      const hint = `a variable is \${env:${text.slice(2, -1)}}`
      warnings.push({
        severity: 'warning',
        code: 'W_LITERAL',
        file,
        ...placeOf(document, path),
        message,
        hint,
      })
    }
    return text
  })
  return warnings
}

type Found =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string; readonly hint: string }

function variable(outside: ConfOutside, name: string): Found {
  const text = outside.variable(name)
  if (text !== undefined) return { ok: true, text }
  const hint = `set it for this program, or write $\${env:${name}} for these very characters`
  return {
    ok: false,
    reason: `there is no variable ${JSON.stringify(name)} in the environment`,
    hint,
  }
}

function secret(outside: ConfOutside, path: string): Found {
  const read = outside.secretFile(path)
  const hint = 'a file with one line, which this program may read'
  if (!read.ok) return { ok: false, reason: `cannot read ${path}: ${read.reason}`, hint }
  const text = read.text.replace(/\r?\n$/, '')
  if (!/[\r\n\0]/.test(text)) return { ok: true, text }
  return { ok: false, reason: `${path} has more than one line`, hint }
}

type Change = (text: string, path: readonly string[]) => string | number

/** A copy with other texts; keys stay as they are. YAML's aliases may make cycles, which are left alone. */
function mapTexts(
  value: unknown,
  path: readonly string[],
  change: Change,
  above: readonly unknown[] = [],
): unknown {
  if (typeof value === 'string') return change(value, path)
  if (typeof value !== 'object' || value === null || above.includes(value)) return value
  const inner = (one: unknown, key: string) => {
    return mapTexts(one, [...path, key], change, [...above, value])
  }
  if (Array.isArray(value)) return value.map((one, at) => inner(one, String(at)))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one, key)]))
}

/** The value itself, or the nearest that has a place: entries of lists have none. */
function placeOf(document: YmlDocument, path: readonly string[]): Location {
  for (let length = path.length; length > 0; length--) {
    const place = document.values.get(addressOf(path.slice(0, length)))
    if (place !== undefined) return { ...place, path: addressOf(path) }
  }
  return { line: 1, column: 1, path: addressOf(path) }
}
