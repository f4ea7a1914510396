import type { LinkSide } from '../../ontology/definition/links.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'
import type { RequestScope } from '../request/admission.ts'
import type { Services } from '../services.ts'
import { equals, findProperties } from './find-object.ts'

/** Following a link: a query on the linked type, in both revisions. */

/** A link, and the object that it starts from. */
export interface LinkOfObject {
  readonly side: LinkSide
  /** The key of the object, as its type writes it. */
  readonly key: string
}

export interface LinkWalk {
  readonly snapshot: boolean
  readonly pageToken: string | undefined
}

const NOTHING: Query = { kind: 'not', of: EVERYTHING }

/**
 * The condition that the linked objects fulfil, or nothing when the object that the link starts
 * from does not exist.
 *
 * Every page looks at that object anew, except the later pages of a snapshot. They ask for the
 * objects that name a key, the key stands in the path, and the token is bound to it: that the
 * object existed was seen by the page that gave the token, so deleting it does not cut a snapshot
 * short. A link to ONE, whose condition depends on the foreign key, never has a second page.
 */
export async function followLink(
  { side, key }: LinkOfObject,
  walk: LinkWalk,
  context: RequestScope,
  services: Services,
): Promise<Query | undefined> {
  const { objectType, cardinality, ownProperty, linkedProperty, keyType } = side
  if (isLaterSnapshotPage(walk) && cardinality === 'MANY') {
    return equals(linkedProperty, keyType, key)
  }
  const properties = await findProperties(objectType, key, [ownProperty], context, services)
  if (properties === undefined) return undefined
  const value = properties.get(ownProperty)
  return value === undefined ? NOTHING : equals(linkedProperty, keyType, value)
}

export function isLaterSnapshotPage({ snapshot, pageToken }: LinkWalk): boolean {
  return snapshot && pageToken !== undefined
}

/** What page tokens are bound to: other objects and links may lead to the same query. */
export function linkEndpoint({ side, key }: LinkOfObject): string {
  return JSON.stringify(['listLinkedObjects', side.objectType.rid, key, side.apiName])
}

export function bothOf(a: Query, b: Query): Query {
  return b.kind === 'everything' ? a : { kind: 'and', of: [a, b] }
}
