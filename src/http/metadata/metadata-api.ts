/** The APIs that have metadata: how their endpoints are labelled, and which parameters they take. */
import { type TObject, type TSchema, Type } from 'typebox'
import { closed } from '../../contract/schema-parts.ts'
import { v2Parameters } from '../schemas/v2-parameters.ts'

export interface MetadataApi {
  readonly root: `/${string}`
  readonly tag: string
  /** Follows the summary of each endpoint. */
  readonly label: string
  /** Returns the query string of an endpoint with the given parameters. */
  readonly parameters: (own: Record<string, TSchema>) => TObject
}

export const REVISION_1: MetadataApi = {
  root: '/api/v1/ontologies',
  tag: 'Revision 1.0',
  label: 'revision 1.0',
  parameters: (own) => Type.Object(own, closed),
}

export const V2: MetadataApi = {
  root: '/api/v2/ontologies',
  tag: 'v2',
  label: 'v2',
  parameters: v2Parameters,
}
