/** The objects of most measurements: seven properties, about 400 bytes as stored. */
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { readBody, type Target } from './connection.ts'
import { count, showProgress } from './report.ts'
import type { CommandCost, Service, Workbench } from './workbench.ts'

export const ONTOLOGY = 'bench'
export const FAMILY = 'bench'
export const OBJECT_TYPE = 'part'

export const DEFINITION: OntologyDefinition = {
  apiName: ONTOLOGY,
  families: [FAMILY],
  objectTypes: [
    {
      apiName: OBJECT_TYPE,
      primaryKey: 'partNumber',
      titleProperty: 'name',
      properties: {
        partNumber: { type: 'string' },
        name: { type: 'string' },
        category: { type: 'string' },
        revision: { type: 'integer' },
        weight: { type: 'double' },
        changedAt: { type: 'timestamp' },
        notes: { type: 'string' },
      },
    },
  ],
}

/** The options of `oqs import` that name the type. */
export const PART_TYPE = ['--ontology', ONTOLOGY, '--type', OBJECT_TYPE] as const
/** The path to which parts are written. */
export const PART_OBJECTS = `/api/admin/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`

const BATCH = 10_000

const CATEGORIES = ['bearing', 'gasket', 'housing', 'rotor', 'seal', 'shaft', 'valve'] as const
const WORDS =
  'inspected after assembly and stored dry until the next delivery to the line where it is fitted'.split(
    ' ',
  )
const NOTES_WORDS = 44
const FIRST_CHANGE_MS = Date.UTC(2026, 0, 1)

export type PartProperties = ReturnType<typeof makePart>

/** Makes a part that depends only on its arguments, with notes that compress badly. */
export function makePart(number: number, revision: number) {
  const category = CATEGORIES[number % CATEGORIES.length] ?? 'seal'
  return {
    partNumber: partNumber(number),
    name: `${category} ${number.toString(36)}`,
    category,
    revision,
    weight: (number % 9973) / 8,
    changedAt: new Date(FIRST_CHANGE_MS + number * 1000).toISOString(),
    notes: makeNotes(number),
  }
}

/** Keys have a fixed width, so that they sort like their numbers. */
export function partNumber(number: number): string {
  return `P${String(number).padStart(9, '0')}`
}

function makeNotes(number: number): string {
  const words: (string | undefined)[] = []
  let state = number + 1
  for (let i = 0; i < NOTES_WORDS; i++) {
    state = (state * 48_271) % 0x7fff_ffff
    words.push(WORDS[state % WORDS.length])
  }
  return words.join(' ')
}

/** Parts in key order, a thousand at a time. */
export function* partBatches(objects: number): Generator<readonly PartProperties[]> {
  for (let start = 0; start < objects; start += 1000) {
    const length = Math.min(1000, objects - start)
    yield Array.from({ length }, (_, n) => makePart(start + n, 0))
  }
}

/** Lines of NDJSON, a thousand at a time. */
export function* partLines(objects: number): Generator<string> {
  for (const batch of partBatches(objects)) {
    yield batch.map((part) => `${JSON.stringify(part)}\n`).join('')
  }
}

/** Sends JSON to a path below `/api/admin/v1/`; returns the response. */
export async function administer(
  service: Target,
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: Each endpoint has an answer of its own.
): Promise<any> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) }
  const call = { method, path: `/api/admin/v1/${path}`, ...json }
  return JSON.parse(String(await readBody(service, call)))
}

/** Saves the definition of an ontology. */
export async function define(service: Target, definition: OntologyDefinition): Promise<void> {
  await administer(service, 'PUT', `ontologies/${definition.apiName}`, definition)
}

/** Creates a caller that may read and write what its policies allow; returns its headers. */
export async function createCaller(service: Target, name: string, ...policies: string[]) {
  const scopes = ['api:ontologies-read', 'api:ontologies-write']
  const spec = { name, scopes, ...(policies.length > 0 && { policies }) }
  const { token } = await administer(service, 'POST', 'tokens', spec)
  return { authorization: `Bearer ${token}` }
}

/** Writes changes to an object type, given by its path, in several batches. */
export async function writeChanges(
  service: Target,
  path: string,
  changes: readonly object[],
): Promise<void> {
  const contentType = 'application/x-ndjson'
  for (let start = 0; start < changes.length; start += BATCH) {
    const lines = changes.slice(start, start + BATCH).map((change) => JSON.stringify(change))
    await readBody(service, { method: 'POST', path, contentType, body: lines.join('\n') })
  }
}

/** Fills an empty store with parts through `oqs import --replace`. */
export async function loadParts(
  bench: Workbench,
  service: Service,
  objects: number,
): Promise<CommandCost> {
  showProgress(`loading ${count(objects)} objects`)
  await define(service, DEFINITION)
  const args = ['import', '-', '--format', 'ndjson', ...PART_TYPE, '--replace']
  return bench.measureCommand(service, args, partLines(objects))
}
