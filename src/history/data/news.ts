/** PUBLISH, on a channel that one client alone uses. It changes no data; who hears of it is judged elsewhere. */
import { type CommandRows, only } from './command-row.ts'

export const NEWS: CommandRows = {
  PUBLISH: {
    kind: 'read',
    weight: 0,
    keys: () => [],
    draw: () => [],
    // How many clients got it.
    apply: ({ holdings }) => only(holdings, (told) => typeof told === 'number' && told >= 0),
  },
}

export function channelOf(client: string): string {
  return `news:${client}`
}
