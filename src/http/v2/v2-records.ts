/** Objects as v2 returns them, alone and in pages. */

import { Type } from 'typebox'
import { namedObject, text } from '../../contract/schema-parts.ts'
import { PrimaryKey } from '../schemas/object-records.ts'
import { NextChangesToken, NextPageToken } from '../schemas/paging.ts'

/** An object of v2: its properties by API name, beside four members that describe it. */
export const FlatRecord = namedObject(
  'ObjectRecordV2',
  {
    __rid: Type.Optional(text('Absent with `excludeRid`.')),
    __primaryKey: PrimaryKey,
    __apiName: text('API name of the object type.'),
    __score: Type.Optional(
      Type.Number({ description: 'How well the object matches; only in an order by relevance.' }),
    ),
    __title: Type.Optional(text('Absent if the object has no title.')),
  },
  {
    additionalProperties: true,
    description: 'Property values by API name. Properties without a value are absent.',
  },
)

export const FlatPage = namedObject('ObjectPageV2', {
  data: Type.Array(FlatRecord),
  nextPageToken: NextPageToken,
})

export const CountedFlatPage = namedObject('CountedObjectPageV2', {
  ...FlatPage.properties,
  nextChangesToken: NextChangesToken,
  totalCount: text('The number of matching objects.'),
})

/** An object of a set with several types: like `FlatRecord`, but its own members begin with `$`. */
const DollarRecord = namedObject(
  'MixedObjectRecord',
  {
    $rid: Type.Optional(text('Absent with `excludeRid`.')),
    $primaryKey: PrimaryKey,
    $apiName: text('API name of the object type.'),
    $title: Type.Optional(text('Absent if the object has no title.')),
  },
  {
    additionalProperties: true,
    description: 'Property values by API name. Properties without a value are absent.',
  },
)

export const CountedDollarPage = namedObject('MixedObjectPage', {
  ...CountedFlatPage.properties,
  data: Type.Array(DollarRecord),
})
