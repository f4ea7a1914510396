/** One object, its earlier state, and what it links to. */
import { queryOptions } from '@tanstack/react-query'
import { type ApiRequest, parseBody, type Send } from '../api/call.ts'
import type { LinkSide, ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import { keyText, type ObjectRecord, readRecord } from '../api/records.ts'
import { aggregate } from './facet-query.ts'
import { EMPTY_VIEW, type Filter } from '../view/view-state.ts'
import { DIALECTS, whereOf } from '../view/where.ts'

export interface ObjectAddress {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
  readonly key: string
}

/** Returns the address of the object's own page. */
export function objectPath({ ontology, objectType, key }: ObjectAddress): string {
  return `/o/${[ontology.apiName, objectType.apiName, key].map(encodeURIComponent).join('/')}`
}

export function objectRequest({ ontology, objectType, key }: ObjectAddress): ApiRequest {
  const steps = [ontology.apiName, 'objects', objectType.apiName, key].map(encodeURIComponent)
  return { method: 'GET', path: `/api/v1/ontologies/${steps.join('/')}` }
}

export interface LoadedObject {
  readonly record: ObjectRecord
  /** The bytes as they came. */
  readonly json: string
}

export function objectQuery(send: Send, address: ObjectAddress) {
  return queryOptions({
    queryKey: ['object', address.objectType.rid, address.key],
    queryFn: async ({ signal }): Promise<LoadedObject> => {
      const response = await send(objectRequest(address), signal)
      const json = new TextDecoder().decode(response.bytes)
      return { record: readRecord(JSON.parse(json), address.objectType), json }
    },
  })
}

/** The state of an object at a version of its type. */
export interface EarlierState {
  readonly version: number
  /** Undefined if the object did not exist. */
  readonly record: ObjectRecord | undefined
  readonly json: string
}

/** Reads an object as of a version, or as of now; an export can read any version that is kept. */
export async function readState(
  send: Send,
  address: ObjectAddress,
  version: number | undefined,
  signal?: AbortSignal,
): Promise<EarlierState> {
  const { bytes, headers } = await send(stateRequest(address, version), signal)
  const { objectType } = address
  const json = new TextDecoder().decode(bytes).trimEnd()
  const read = Number(headers.get('oqs-version') ?? version)
  if (json === '') return { version: read, record: undefined, json: '' }
  const properties = JSON.parse(json) as ObjectRecord['properties']
  return { version: read, record: readRecord({ properties }, objectType), json }
}

/** Returns the request for an object as of a version: an export of one object. */
export function stateRequest(
  { ontology, objectType, key }: ObjectAddress,
  version: number | undefined,
): ApiRequest {
  const filter: Filter = { field: objectType.primaryKey, operator: 'eq', value: key }
  const where = whereOf({ ...EMPTY_VIEW, filters: [filter] }, objectType, DIALECTS['1'])
  const parameters = new URLSearchParams({ where: JSON.stringify(where) })
  if (version !== undefined) parameters.set('version', String(version))
  const steps = [ontology.apiName, 'objects', objectType.apiName, 'export'].map(encodeURIComponent)
  const path = `/api/admin/v1/ontologies/${steps.join('/')}?${parameters}`
  return { method: 'GET', path }
}

export function stateQuery(send: Send, address: ObjectAddress, version: number) {
  return queryOptions({
    queryKey: ['state', address.objectType.rid, address.key, version],
    queryFn: ({ signal }) => readState(send, address, version, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Linked objects that the page of an object shows. */
export const LINKED_SHOWN = 5

export interface LinkedObjects {
  readonly records: readonly ObjectRecord[]
  readonly hasMore: boolean
}

export function linkedQuery(
  send: Send,
  { ontology, objectType, key }: ObjectAddress,
  link: LinkSide,
  target: ObjectTypeDefinition,
) {
  return queryOptions({
    queryKey: ['linked', objectType.rid, key, link.apiName],
    queryFn: async ({ signal }): Promise<LinkedObjects> => {
      const steps = [ontology.apiName, 'objects', objectType.apiName, key, 'links', link.apiName]
      const path = `/api/v1/ontologies/${steps.map(encodeURIComponent).join('/')}?pageSize=${LINKED_SHOWN}`
      const body = parseBody<{
        readonly data: readonly unknown[]
        readonly nextPageToken?: string
      }>(await send({ method: 'GET', path }, signal))
      return {
        records: body.data.map((json) => readRecord(json, target)),
        hasMore: body.nextPageToken !== undefined,
      }
    },
  })
}

/** Returns the condition on the objects at a link: their foreign key, or their own key. */
export function linkFilter(link: LinkSide, record: ObjectRecord, target: ObjectTypeDefinition) {
  const filter = (field: string, value: unknown): Filter =>
    value === undefined || value === null
      ? { field: target.primaryKey, operator: 'empty', value: '' }
      : { field, operator: 'eq', value: String(value) }
  return link.cardinality === 'many'
    ? filter(link.foreignKey, keyText(record.key))
    : filter(target.primaryKey, record.properties[link.foreignKey])
}

/** Counts the objects at a link to many. */
export function linkCountQuery(
  send: Send,
  { ontology, objectType, key }: ObjectAddress,
  link: LinkSide,
  { record, target }: { readonly record: ObjectRecord; readonly target: ObjectTypeDefinition },
) {
  return queryOptions({
    queryKey: ['link-count', objectType.rid, key, link.apiName],
    queryFn: async ({ signal }): Promise<number> => {
      const view = { ...EMPTY_VIEW, filters: [linkFilter(link, record, target)] }
      const { data } = await aggregate(
        send,
        { ontology, objectType: target, view },
        { aggregation: [{ type: 'count', name: 'count' }], groupBy: [] },
        signal,
      )
      return Number(data[0]?.metrics[0]?.value ?? 0)
    },
  })
}
