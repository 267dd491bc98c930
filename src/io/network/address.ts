/** An IPv4 address as IPv4, even if a socket serves both families and says `::ffff:127.0.0.1`. */
export function plainHost(address: string | undefined): string {
  if (address === undefined) return ''
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
