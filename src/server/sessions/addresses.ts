/** Addresses of connections, as CLIENT LIST and protected mode see them. */

export { hostAndPort as endpoint, isLoopback } from '../../base/ip.ts'
