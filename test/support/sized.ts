/**
 * How much is left to chance: little in `npm test`, which runs all day, and much if VEDETTE_LONG is set,
 * as in continuous integration and in `npm run test:lab`.
 */
export function sized<T>(short: T, long: T): T {
  return (process.env.VEDETTE_LONG ?? '') === '' ? short : long
}
