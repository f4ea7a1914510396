/** The kept requests: one for each kind of answer that a long run has seen, and past failures. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FuzzRequest } from './fuzz-request.ts'

const FOLDER = fileURLToPath(new URL('../corpus/http', import.meta.url))

export function readCorpus(): readonly FuzzRequest[] {
  return globSync('*.ndjson', { cwd: FOLDER })
    .toSorted()
    .flatMap((name) => readFileSync(join(FOLDER, name), 'utf8').trim().split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FuzzRequest)
}
