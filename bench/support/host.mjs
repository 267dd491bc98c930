/** Where a process runs. A host has an address, and says how a program is started on it. */
import { HOST } from './ports.mjs'

/** This machine, and its own address: there is nothing to do. */
export const LOOPBACK = { ip: HOST, commandFor: (command, args) => [command, args] }
