/** Objects as the two revisions return them, alone and in pages. */

import { type TSchema, Type } from 'typebox'
import { OBJECT_RID_PREFIX } from '../../contract/object-record.ts'
import { anyMembers, namedObject, text } from '../../contract/schema-parts.ts'
import { NextChangesToken, NextPageToken } from './paging.ts'

const Properties = anyMembers('Property values by API name. Properties without a value are absent.')

/** An object in revision 1.0. */
export const ObjectRecord = namedObject('ObjectRecord', {
  rid: Type.String({ examples: [`${OBJECT_RID_PREFIX}350a7005-3cd0-88e0-bd1d-2ae673ea2ad8`] }),
  properties: Properties,
})

export const ObjectPage = namedObject('ObjectPage', {
  data: Type.Array(ObjectRecord),
  nextPageToken: NextPageToken,
})

export const CountedObjectPage = namedObject('CountedObjectPage', {
  ...ObjectPage.properties,
  nextChangesToken: NextChangesToken,
  totalCount: text('The number of matching objects, including those beyond the retrieval limit.'),
})

/** A page of changes, with records of a revision. */
export function changesPage<Record extends TSchema>(
  record: Record,
  { namesTypes = false }: { readonly namesTypes?: boolean } = {},
) {
  const { title } = record as { readonly title?: string }
  const put = namedObject(`Put${title}`, { put: record })
  const objectType = text('The object type of the object.')
  const named = namesTypes ? { objectType } : {}
  const removed = namedObject(namesTypes ? 'DeletedSetObject' : 'DeletedObject', {
    delete: Type.Object({ primaryKey: PrimaryKey, ...named }),
  })
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
export const FamilyRecord = namedObject('FamilyRecord', {
  primaryKey: Type.String({ examples: ['ZRH'] }),
  objectType: Type.String(),
  title: Type.Optional(Type.String()),
  properties: Properties,
})

export const FamilyPage = namedObject('FamilyPage', {
  data: Type.Array(FamilyRecord),
  nextPageToken: NextPageToken,
})
