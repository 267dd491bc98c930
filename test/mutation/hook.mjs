/**
 * `node --import …/hook.mjs`: loads one compiled file with the change that VEDETTE_MUTATION describes, or
 * counts what is executed if VEDETTE_PLACES names a file of places. Threads and processes inherit it.
 */
import { register } from 'node:module'
import { beginCoverage } from './coverage.mjs'

const text = process.env.VEDETTE_MUTATION
if (text) register('./loader.mjs', import.meta.url, { data: JSON.parse(text) })
if (process.env.VEDETTE_PLACES) beginCoverage()
