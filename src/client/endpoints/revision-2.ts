/** The endpoints of revision 2.0, one method each. A family names an ontology. */
import { type CallOptions, type Connection, type ServiceRequest, segment } from '../connection.ts'
import type { ObjectRecord, Page, PageOptions } from './pages.ts'
import { readPage } from './read-page.ts'

/** The body of a search request. */
export interface FamilySearchRequest extends PageOptions {
  readonly query: unknown
}

export interface PropertyValues {
  readonly properties: readonly {
    readonly propertyId: string
    readonly propertyType: string
    readonly value: unknown
  }[]
}

/** Where a key is looked up; without an object type, in all types of the family. */
export interface KeyOptions {
  readonly objectType?: string | undefined
}

export class Revision2 {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  searchObjects(
    family: string,
    objectType: string,
    request: FamilySearchRequest,
    call: CallOptions = {},
  ): Promise<Page> {
    return readPage(this.#connection, {
      ...familySearchRequest(family, objectType, request),
      ...call,
    })
  }

  getObject(
    family: string,
    primaryKey: string,
    options: KeyOptions = {},
    call: CallOptions = {},
  ): Promise<ObjectRecord> {
    const path = `${familyPath(family)}/${segment(primaryKey)}`
    return this.#connection.send({ ...call, path, query: { ...options } })
  }

  getObjectProperties(
    family: string,
    primaryKey: string,
    options: KeyOptions = {},
    call: CallOptions = {},
  ): Promise<PropertyValues> {
    const path = `${familyPath(family)}/${segment(primaryKey)}/properties`
    return this.#connection.send({ ...call, path, query: { ...options } })
  }

  listLinkedObjects(
    family: string,
    primaryKey: string,
    linkType: string,
    options: PageOptions & KeyOptions = {},
    call: CallOptions = {},
  ): Promise<Page> {
    const path = `${familyPath(family)}/${segment(primaryKey)}/links/${segment(linkType)}`
    return readPage(this.#connection, { ...call, path, query: { ...options } })
  }
}

function familyPath(family: string): string {
  return `/api/${segment(family)}/v1/objects`
}

export function familySearchRequest(
  family: string,
  objectType: string,
  json: FamilySearchRequest,
): ServiceRequest {
  return { method: 'POST', path: `${familyPath(family)}/types/${segment(objectType)}/search`, json }
}
