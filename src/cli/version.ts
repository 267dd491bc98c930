import { readFileSync } from 'node:fs'

interface PackageFile {
  readonly version: string
}

/** The version of this package. */
export function ownVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as PackageFile).version
}
