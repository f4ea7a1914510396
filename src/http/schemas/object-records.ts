/** Objects as the two revisions return them, alone and in pages. */

import { Type } from 'typebox'
import { OBJECT_RID_PREFIX } from '../../contract/object-record.ts'
import { anyMembers, text } from '../../contract/schema-parts.ts'
import { NextPageToken } from './paging.ts'

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
  totalCount: text('The number of matching objects, including those beyond the retrieval limit.'),
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
