/** An IPv4 address as IPv4, also where a socket serves both families and says `::ffff:127.0.0.1`. */
export function plainHost(address: string | undefined): string {
  if (address === undefined) return ''
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
