/** [maxclients] Never more than the system has files for: who is refused in words can be told why. */
import { clientRoom } from '../io/file-limit.ts'
import type { Settings } from '../server/settings/settings.ts'

/** Lowers it, as Redis does. Gives a line for the log when it had to. */
export function fitMaxClients(settings: Settings, room = clientRoom()): string | undefined {
  const wanted = settings.int('maxclients')
  if (room === undefined || wanted <= room) return undefined
  settings.set('maxclients', `${room}`)
  return (
    `maxclients is ${room} instead of ${wanted}: this process may open no more files. ` +
    'Raise the limit (ulimit -n, LimitNOFILE of the unit)'
  )
}

/** For CONFIG SET: why there cannot be so many, in Redis' words. */
export function clientRoomFault(settings: Settings, room: number | undefined): string | undefined {
  if (room === undefined || settings.int('maxclients') <= room) return undefined
  return `The operating system is not able to handle the specified number of clients, try with ${room}`
}
