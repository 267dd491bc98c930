/**
 * A bundle: segments of several Sentinels in one file, to be attached to an issue and played by anyone. Each
 * member is a line of JSON with its name and its length, then its bytes.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { SegmentFault, type SegmentSource, unreadable } from './segment-reader.ts'

const BUNDLE_MAGIC = 'vedette-bundle 1\n'
const MAX_LINE_BYTES = 1_024

export interface BundleMember {
  readonly name: string
  readonly content: Buffer
}

export function bundleOf(members: readonly BundleMember[]): Buffer {
  const parts = members.flatMap(({ name, content }) => {
    return [Buffer.from(`${JSON.stringify({ name, bytes: content.length })}\n`), content]
  })
  return Buffer.concat([Buffer.from(BUNDLE_MAGIC), ...parts])
}

/**
 * Undefined: the file is no bundle. The last member of one that was cut off lacks bytes. Throws a StartError where it is
 * damaged otherwise, or cannot be read.
 */
export function openBundle(path: string): readonly SegmentSource[] | undefined {
  if (beginningOf(path) !== BUNDLE_MAGIC) return undefined
  const file = readFileSync(path)
  const members: SegmentSource[] = []
  for (let at = BUNDLE_MAGIC.length; at < file.length; ) {
    const lineEnd = file.subarray(at, at + MAX_LINE_BYTES).indexOf(0x0a)
    const line = lineEnd < 0 ? '' : file.toString('utf8', at, at + lineEnd)
    const member = memberIn(line)
    if (member === undefined)
      throw new SegmentFault(path, at, 'a member of the bundle begins with its name and length')
    const start = at + lineEnd + 1
    const end = start + member.bytes
    const content = file.subarray(start, end)
    const missing = member.bytes - content.length
    members.push({ path: `${path}/${member.name}`, content, missing })
    at = end
  }
  return members
}

function beginningOf(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(BUNDLE_MAGIC.length)
      return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw unreadable(path, error)
  }
}

function memberIn(line: string): { readonly name: string; readonly bytes: number } | undefined {
  try {
    const { name, bytes } = JSON.parse(line)
    const isNamed = typeof name === 'string' && /^[\w.:[\]-]+\/\d{8}\.vbb$/.test(name)
    return isNamed && Number.isSafeInteger(bytes) && bytes >= 0 ? { name, bytes } : undefined
  } catch {
    return undefined
  }
}
