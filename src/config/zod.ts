/**
 * zod, told not to compile: it would make a function of each schema with `new Function`, which pays for
 * schemas that judge thousands of values. Ours judge one file at a start, where compiling took longer than
 * all the rest. Schemas are imported from here, because it has to be said before the first one is made.
 */
import { config, z } from 'zod'

config({ jitless: true })

export { z }
