/** Which addresses a world gets: private ones, and none that this machine already has a route to. */
import { runTool } from './tool.ts'

/** A network of 254 addresses: `10.208.7`. The last one is the onlooker's. */
export type Subnet = string

const FIRST_SECOND_BYTE = 208
const NETWORKS = 16 * 256
/** Worlds of one runner stand far apart, so that those of its neighbours do not meet them. */
const STRIDE = 611
const TRIES = 64

export async function chooseSubnet(pid: number, worldNumber: number): Promise<Subnet> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const subnet = subnetAt((pid + worldNumber * STRIDE + attempt) % NETWORKS)
    if (!(await isInUse(subnet))) return subnet
  }
  throw new Error(
    'all networks from 10.208.0.0 to 10.223.255.0 that were tried have a route on this machine; ' +
      'the process engine needs a free one',
  )
}

function subnetAt(index: number): Subnet {
  return `10.${FIRST_SECOND_BYTE + (index >> 8)}.${index & 255}`
}

async function isInUse(subnet: Subnet): Promise<boolean> {
  const within = await runTool('ip', ['-4', 'route', 'show', 'root', `${subnet}.0/24`])
  const around = await runTool('ip', ['-4', 'route', 'show', 'match', `${subnet}.0/24`])
  const others = around.split('\n').filter((line) => line !== '' && !line.startsWith('default'))
  return within.trim() !== '' || others.length > 0
}
