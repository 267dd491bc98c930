/**
 * How much is left to chance: little in `npm test`, which runs all day, and much if VEDETTE_LONG is set,
 * as in `npm run test:lab`, which continuous integration runs for every change.
 */
export function sized<T>(short: T, long: T): T {
  return (process.env.VEDETTE_LONG ?? '') === '' ? short : long
}
