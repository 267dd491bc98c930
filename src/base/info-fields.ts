/** The fields of an INFO reply, or of some of its lines. Headings and blank lines are no fields. */
export function infoFields(info: string | readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of typeof info === 'string' ? info.split('\r\n') : info) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1))
  }
  return fields
}
