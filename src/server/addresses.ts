/** Addresses of connections, as CLIENT LIST and protected mode see them. */

export function isLoopback(host: string): boolean {
  return host === '::1' || host.startsWith('127.') || host.startsWith('::ffff:127.')
}

/** `host:port`, an IPv6 host in brackets. */
export function endpoint(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
