/**
 * `node --import …/hook.mjs`: loads compiled files with the planted fault that VEDETTE_MUTANT names.
 * Without that variable nothing is changed. Threads that the program starts inherit it.
 */
import { register } from 'node:module'

const name = process.env.VEDETTE_MUTANT
if (name !== undefined && name !== '') {
  register('./loader.mjs', import.meta.url, { data: { name } })
}
