import { existsSync, readFileSync } from 'node:fs'

interface PackageFile {
  readonly version: string
}

/**
 * The version of this package and, as semver's build metadata, what `scripts/build-id.mjs` calls the
 * sources that it was built from: `0.1.0+1a2b3c4d`. Modules that run from the sources have no build.
 */
export function ownVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as PackageFile
  const build = new URL('../build-id', import.meta.url)
  return existsSync(build) ? `${version}+${readFileSync(build, 'utf8').trim()}` : version
}
