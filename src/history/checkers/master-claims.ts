/** Which Sentinels say something of which masters, from `+<name>` to `-<name>`. */
import { eventWords, type Happening } from '../happening.ts'
import { readMasterEvent } from './master-event.ts'

export class MasterClaims {
  readonly #name: 'empty-master' | 'gray-master'
  readonly #claims = new Set<string>()

  constructor(name: 'empty-master' | 'gray-master') {
    this.#name = name
  }

  note(happening: Happening): void {
    const { process = '' } = happening
    if (happening.kind === 'status' && happening.status === 'down') this.#forget(`${process} `)
    if (happening.kind !== 'event') return
    // A switch silently ends what was said about the old master.
    if (happening.name === '+switch-master') {
      const switched = eventWords('+switch-master', happening.payload)
      this.#forget(`${process} ${switched?.group} `)
    }
    if (happening.name === `+${this.#name}`) this.#claims.add(keyOf(process, happening.payload))
    else if (happening.name === `-${this.#name}`) {
      this.#claims.delete(keyOf(process, happening.payload))
    }
  }

  /** `payload`: that of an event about the master. */
  says(process: string, payload: string): boolean {
    return this.#claims.has(keyOf(process, payload))
  }

  /** The same for the master of this group, whichever that is. */
  saysOfGroup(process: string, group: string): boolean {
    return [...this.#claims].some((claim) => claim.startsWith(`${process} ${group} `))
  }

  #forget(prefix: string): void {
    for (const claim of this.#claims) if (claim.startsWith(prefix)) this.#claims.delete(claim)
  }
}

function keyOf(process: string, payload: string): string {
  const subject = readMasterEvent(payload)
  return `${process} ${subject?.group} ${subject?.address.host} ${subject?.address.port}`
}
