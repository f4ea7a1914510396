/** The note beside a partial export, `FILE.part.json`: what a resumed export needs to know. */

import { readFile, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { RemediableError } from '../../formats/remedy.ts'
import type { ExportRequest } from './export-objects.ts'
import { fileError } from './file-error.ts'

export interface ResumeNote {
  readonly request: NotedRequest
  readonly version: string
}

export type NotedRequest = Readonly<Record<string, string | undefined>>

/** Returns everything that determines the bytes of an export. */
export function noteOf({ connection }: Endpoints, request: ExportRequest): NotedRequest {
  const { ontology, objectType, format, where, select } = request
  // The round trip through JSON removes undefined members, as in a note that was read.
  return JSON.parse(
    JSON.stringify({ url: connection.baseUrl, ontology, objectType, format, where, select }),
  )
}

export async function writeNote(path: string, note: ResumeNote): Promise<void> {
  await writeFile(path, `${JSON.stringify(note)}\n`).catch((error) => {
    throw fileError(path, error)
  })
}

/** Reads the note of an earlier run; undefined if there is none. Throws if it is damaged. */
export async function readNote(path: string): Promise<ResumeNote | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const note = parseNote(text)
  if (note === undefined) {
    const remedy = { do: 'startAgain' } as const
    throw new RemediableError(`cannot resume: ${path} is damaged`, { remedy })
  }
  return note
}

/** Returns undefined for an invalid note, such as the first half that a killed run has written. */
function parseNote(text: string): ResumeNote | undefined {
  let note: unknown
  try {
    note = JSON.parse(text)
  } catch {
    return undefined
  }
  const { request, version } = (note ?? {}) as Readonly<Record<string, unknown>>
  if (typeof version !== 'string' || typeof request !== 'object' || request === null) {
    return undefined
  }
  const isNoted = Object.values(request).every((value) => typeof value === 'string')
  return isNoted ? { request: request as NotedRequest, version } : undefined
}

/** Lists the differences between the requests of two exports. */
export function differences(left: NotedRequest, right: NotedRequest): string[] {
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names]
    .filter((name) => !isDeepStrictEqual(left[name], right[name]))
    .map((name) => `${name} was ${left[name] ?? 'not given'}, is ${right[name] ?? 'not given'}`)
}
