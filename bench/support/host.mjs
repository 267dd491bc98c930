/** Where a process runs. A host has an address, and says how to start a program on it. */
import { HOST } from './ports.mjs'

/** This machine at its own address: commands run unchanged. */
export const LOOPBACK = { ip: HOST, commandFor: (command, args) => [command, args] }
