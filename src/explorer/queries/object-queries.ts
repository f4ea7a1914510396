/** One object, its earlier state, and what it links to. */
import { queryOptions } from '@tanstack/react-query'
import { pathOf } from '../../client/addresses.ts'
import type { ServiceRequest } from '../../client/connection.ts'
import { exportRequest } from '../../client/endpoints/administration.ts'
import { readPage } from '../../client/endpoints/endpoint-group.ts'
import type { FlatRecord, Page } from '../../client/endpoints/pages.ts'
import { type PageQuery, v2PageRequest } from '../../client/query/page-requests.ts'
import { screenPath } from '../api/base-path.ts'
import {
  keyText,
  type LinkSide,
  type ObjectRecord,
  type ObjectTypeDefinition,
  readExported,
  readRecord,
} from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { whereOf } from '../view/compile-filters.ts'
import { type ShownType, type TypeView, typePathOf } from '../view/type-view.ts'
import { EMPTY_VIEW, type Filter } from '../view/view-state.ts'
import { pageRequest } from './page-request.ts'
import { versionOf } from './walk.ts'

export interface ObjectAddress extends ShownType {
  readonly key: string
}

/** Returns the address of the object's own page. */
export function objectPath({ ontology, objectType, key }: ObjectAddress): '/' {
  return screenPath(ontology.apiName, objectType.apiName, key)
}

export function latestRequest({ ontology, objectType, key }: ObjectAddress): ServiceRequest {
  const { apiName } = objectType
  return { path: pathOf`/api/v2/ontologies/${ontology.apiName}/objects/${apiName}/${key}` }
}

export interface LoadedObject {
  readonly record: ObjectRecord
  /** The bytes as they came. */
  readonly json: string
  /** The version of the type that was read, if the service says so. */
  readonly version: number | undefined
}

export function objectQuery({ connection }: Service, address: ObjectAddress) {
  return queryOptions({
    queryKey: ['object', address.objectType.rid, address.key],
    queryFn: async ({ signal }): Promise<LoadedObject> => {
      const request = { ...latestRequest(address), signal }
      const { body, bytes, headers } = await connection.exchange<FlatRecord>(request)
      const json = new TextDecoder().decode(bytes)
      return { record: readRecord(body), json, version: versionOf(headers) }
    },
  })
}

/**
 * Reads an object as of a version of its type, or as of now; an export can read any version that is
 * kept. There is no record if the object did not exist.
 */
export async function readState(
  { connection }: Service,
  address: ObjectAddress,
  version: number | undefined,
  signal?: AbortSignal,
) {
  const response = await connection.stream({ ...stateRequest(address, version), signal })
  const { objectType } = address
  const json = (await response.text()).trimEnd()
  const read = Number(response.headers.get('oqs-version') ?? version)
  if (json === '') return { version: read, record: undefined }
  const properties = JSON.parse(json) as ObjectRecord['properties']
  return { version: read, record: readExported(properties, objectType) }
}

/** Returns the request for an object as of a version: an export of one object. */
export function stateRequest(address: ObjectAddress, version: number | undefined): ServiceRequest {
  const { objectType, key } = address
  const filter: Filter = { field: objectType.primaryKey, operator: 'eq', value: key }
  const whereV2 = JSON.stringify(whereOf(filteredBy(address, filter)))
  return exportRequest(typePathOf(address), { whereV2, version })
}

export function stateQuery(service: Service, address: ObjectAddress, version: number) {
  return queryOptions({
    queryKey: ['state', address.objectType.rid, address.key, version],
    queryFn: ({ signal }) => readState(service, address, version, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Returns the view of the objects of a type that one filter selects. */
function filteredBy({ ontology, objectType }: ShownType, filter: Filter): TypeView {
  return { ontology, objectType, view: { ...EMPTY_VIEW, filters: [filter] } }
}

/** Linked objects that the page of an object shows. */
const LINKED_SHOWN = 5

/** Reads the first objects at a link, and counts all. */
export function linkedQuery(
  { connection }: Service,
  of: ShownType,
  link: LinkSide,
  record: ObjectRecord,
) {
  const linked = filteredBy(of, linkFilter(link, record, of.objectType))
  return queryOptions({
    // A link to one follows the foreign key when it changes.
    queryKey: ['linked', of.objectType.rid, linked.view.filters],
    queryFn: async ({ signal }) => {
      const request = { ...pageRequest(linked, { pageSize: LINKED_SHOWN }), signal }
      const { data, totalCount } = await readPage<Page<FlatRecord>>(connection, request)
      return { records: data.map(readRecord), count: Number(totalCount) }
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

/** Reads one page of the objects that match a query, which must fit into it. */
export async function readRecords(
  { connection }: Service,
  type: ShownType,
  query: PageQuery,
  { pageSize, signal }: { readonly pageSize: number; readonly signal?: AbortSignal | undefined },
): Promise<readonly ObjectRecord[]> {
  const request = { ...v2PageRequest(typePathOf(type), query, { pageSize }), signal }
  const { data } = await readPage<Page<FlatRecord>>(connection, request)
  return data.map(readRecord)
}
