/** Floods of requests that depend on each other: each script runs again and again. */
import { batchPath, DEFINITION, ONTOLOGY, sinkBatch } from './dataset.ts'

export const NDJSON = 'application/x-ndjson'
const JSON_TYPE = 'application/json'

/** Sends a request, and returns the body of the response. */
export type Send = (method: string, path: string, type?: string, body?: Buffer) => Promise<string>

export type FloodScript = (send: Send, batchBytes: number) => Promise<void>

const ONTOLOGY_PATH = `/api/admin/v1/ontologies/${ONTOLOGY}`
/** A type that floods delete and define again. */
const DROPPED = {
  apiName: 'dropped',
  primaryKey: 'id',
  properties: { id: { type: 'string' }, text: { type: 'string' }, n: { type: 'integer' } },
} as const

export const FLOOD_SCRIPTS: Readonly<Record<string, FloodScript>> = {
  /** Deletes all objects of a type that has many, with one request. */
  deletions: async (send, batchBytes) => {
    await send('POST', batchPath('sink'), NDJSON, sinkBatch(batchBytes))
    const all = { type: 'not', value: { type: 'eq', field: 'properties.n', value: -1 } }
    const query = Buffer.from(JSON.stringify({ query: all }))
    await send('POST', `${batchPath('sink')}/deleteByQuery`, JSON_TYPE, query)
  },
  /** Deletes a type with its objects. */
  'type deletions': async (send, batchBytes) => {
    const definition = { ...DEFINITION, objectTypes: [...DEFINITION.objectTypes, DROPPED] }
    await send('PUT', ONTOLOGY_PATH, JSON_TYPE, Buffer.from(JSON.stringify(definition)))
    await send('POST', batchPath(DROPPED.apiName), NDJSON, sinkBatch(batchBytes))
    await send('DELETE', `${ONTOLOGY_PATH}/objectTypes/${DROPPED.apiName}?cascade=true`)
  },
  /** Replaces all objects of a type. */
  replacements: async (send, batchBytes) => {
    const path = `${batchPath('sink')}/replacements`
    const { replacement } = JSON.parse(await send('POST', path)) as { replacement: string }
    const batch = `${batchPath('sink')}?replacement=${replacement}`
    await send('POST', batch, NDJSON, sinkBatch(batchBytes))
    await send('POST', `${path}/${replacement}/publish`)
  },
}
