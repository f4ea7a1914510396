/** Objects as the two revisions return them, alone and in pages. */

import { type TSchema, Type } from 'typebox'
import { OBJECT_RID_PREFIX } from '../../contract/object-record.ts'
import { anyMembers, text } from '../../contract/schema-parts.ts'
import { NextChangesToken, NextPageToken } from './paging.ts'

const Properties = anyMembers('Property values by API name. Properties without a value are absent.')

/** An object in revision 1.0. */
export const ObjectRecord = Type.Object({
  rid: Type.String({ examples: [`${OBJECT_RID_PREFIX}350a7005-3cd0-88e0-bd1d-2ae673ea2ad8`] }),
  properties: Properties,
})

export const ObjectPage = Type.Object({
  data: Type.Array(ObjectRecord),
  nextPageToken: NextPageToken,
})

export const CountedObjectPage = Type.Object({
  ...ObjectPage.properties,
  nextChangesToken: NextChangesToken,
  totalCount: text('The number of matching objects, including those beyond the retrieval limit.'),
})

/** A page of changes, with records of a revision. */
export function changesPage<Record extends TSchema>(
  record: Record,
  { namesTypes = false }: { readonly namesTypes?: boolean } = {},
) {
  const put = Type.Object({ put: record })
  const objectType = text('The object type of the object.')
  const named = namesTypes ? { objectType } : {}
  const removed = Type.Object({ delete: Type.Object({ primaryKey: PrimaryKey, ...named }) })
  return Type.Object({
    data: Type.Array(Type.Union([put, removed])),
    nextPageToken: NextPageToken,
    nextChangesToken: NextChangesToken,
  })
}

/** The primary key, in the JSON encoding of its type. */
export const PrimaryKey = Type.Unsafe<string | number | boolean>({
  type: ['string', 'number', 'boolean'],
  description: 'The primary key, in the JSON encoding of its type.',
})

/** An object in revision 2.0. */
export const FamilyRecord = Type.Object({
  primaryKey: Type.String({ examples: ['ZRH'] }),
  objectType: Type.String(),
  title: Type.Optional(Type.String()),
  properties: Properties,
})

export const FamilyPage = Type.Object({
  data: Type.Array(FamilyRecord),
  nextPageToken: NextPageToken,
})
