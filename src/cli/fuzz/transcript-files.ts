/** The transcripts that come with the program, read once. */
import { readdirSync, readFileSync } from 'node:fs'
import { readTranscripts, type Transcript } from '../../fuzz/transcripts/transcript.ts'

const FOLDER = new URL('../../../transcripts/', import.meta.url)
let kept: readonly Transcript[] | undefined

/** Throws the file system's error if they are not there. */
export function keptTranscripts(): readonly Transcript[] {
  kept ??= readdirSync(FOLDER).flatMap((file) =>
    readTranscripts(readFileSync(new URL(file, FOLDER), 'latin1')),
  )
  return kept
}
