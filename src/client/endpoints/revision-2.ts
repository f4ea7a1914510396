/** The endpoints of revision 2.0, one method each. A family names an ontology. */
import { pathOf } from '../addresses.ts'
import type { CallOptions, ServiceRequest } from '../connection.ts'
import { EndpointGroup } from './endpoint-group.ts'
import type { ObjectRecord, Page, PageOptions } from './pages.ts'

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

export class Revision2 extends EndpointGroup {
  searchObjects(
    family: string,
    objectType: string,
    request: FamilySearchRequest,
    call?: CallOptions,
  ): Promise<Page> {
    return this.page(familySearchRequest(family, objectType, request), call)
  }

  getObject(
    family: string,
    primaryKey: string,
    options?: KeyOptions,
    call?: CallOptions,
  ): Promise<ObjectRecord> {
    return this.get(pathOf`/api/${family}/v1/objects/${primaryKey}`, call, options)
  }

  getObjectProperties(
    family: string,
    primaryKey: string,
    options?: KeyOptions,
    call?: CallOptions,
  ): Promise<PropertyValues> {
    return this.get(pathOf`/api/${family}/v1/objects/${primaryKey}/properties`, call, options)
  }

  listLinkedObjects(
    family: string,
    primaryKey: string,
    linkType: string,
    options?: PageOptions & KeyOptions,
    call?: CallOptions,
  ): Promise<Page> {
    const path = pathOf`/api/${family}/v1/objects/${primaryKey}/links/${linkType}`
    return this.page({ path, query: { ...options } }, call)
  }
}

export function familySearchRequest(
  family: string,
  objectType: string,
  json: FamilySearchRequest,
): ServiceRequest {
  return {
    method: 'POST',
    path: pathOf`/api/${family}/v1/objects/types/${objectType}/search`,
    json,
  }
}
