import { Settings } from '../server/settings/settings.ts'

/** Why the data node would not take a directive of redis.conf; undefined: it would. */
export function directiveRefusal(name: string, value: string): string | undefined {
  return new Settings().load(name, value.split(' '))
}
