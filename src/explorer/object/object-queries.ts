/** One object, and what it links to. */
import { queryOptions } from '@tanstack/react-query'
import { type ApiRequest, parseBody, type Send } from '../api/call.ts'
import type { LinkSide, ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import { type ObjectRecord, readRecord } from '../api/records.ts'

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
