/** The files and folders that a TLS configuration names. */
import { resolve } from 'node:path'
import type { TlsOptions } from '../../config/tls-options.ts'

const PATHS = [
  'certFile',
  'keyFile',
  'clientCertFile',
  'clientKeyFile',
  'caCertFile',
  'caCertDir',
  'dhParamsFile',
] as const

/** All paths that are given. */
export function tlsPaths(options: TlsOptions): readonly string[] {
  return PATHS.map((name) => options[name]).filter((path) => path !== '')
}

/** Relative paths are relative to `dir`, the folder Redis changes to before it opens them. */
export function inFolder(options: TlsOptions, folder: string): TlsOptions {
  const given = PATHS.filter((name) => options[name] !== '')
  return {
    ...options,
    ...Object.fromEntries(given.map((name) => [name, resolve(folder, options[name])])),
  }
}
