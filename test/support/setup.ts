/**
 * What applies to every test file. Random inputs are drawn from one fixed seed, so that every run is the
 * same; VEDETTE_PROPERTY_SEED gives another. What fast-check reports about a failure (seed and path) is
 * then enough to repeat it with the same variable.
 */
import { configureGlobal, readConfigureGlobal } from 'fast-check'
import { afterAll } from 'vitest'
import { propertySeed } from './property-seed.ts'
import { removeScratchFolders } from './scratch.ts'

configureGlobal({ ...readConfigureGlobal(), seed: propertySeed() })

// Defined first, and therefore last to run: after the hooks of the file have ended its programs.
afterAll(removeScratchFolders)
