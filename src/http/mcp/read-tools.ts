/** The tools that read objects: find them, get one, follow its links, and read on. */
import { Type } from 'typebox'
import { flatRecordShape } from '../../contract/object-record.ts'
import { closed, text } from '../../contract/schema-parts.ts'
import { findLink } from '../../ontology/definition/links.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { checkOrder } from '../../query/parse/order.ts'
import type { OrderTerm } from '../../query/query.ts'
import { getRecord, objectNotFound, readKey } from '../../service/pages/find-object.ts'
import { followLink as followedBy, linkEndpoint } from '../../service/pages/follow-link.ts'
import { type TypePageRequest, typePage } from '../../service/pages/page-spec.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import { conditionArguments, parseConditions } from './conditions.ts'
import {
  chooseProperties,
  cutRecords,
  LIMITS,
  pageArguments,
  sizeArguments,
  TEXT_LENGTHS,
  withNotes,
} from './small-answers.ts'
import { openType, type ToolCall, tool, typeArguments } from './tool.ts'

const orderBy = Type.Optional(
  Type.Array(
    Type.Object(
      { property: Type.String(), direction: Type.Optional(Type.Enum(['asc', 'desc'])) },
      closed,
    ),
    { description: 'Default: the best matches of words first, otherwise by primary key.' },
  ),
)

const primaryKey = Type.Unsafe<string | number | boolean>({
  type: ['string', 'number', 'boolean'],
  description: 'The primary key of the object.',
})

export const searchObjects = tool({
  name: 'search_objects',
  title: 'Search objects',
  description: `Finds the objects of a type by words, by conditions, or by both; without either, all. Returns the first ${LIMITS.default}, the number of all matches, and a cursor if there are more.`,
  input: { ...typeArguments, ...conditionArguments, orderBy, ...pageArguments },
  run: async (args, call) => {
    const type = await openType(call, args)
    const query = parseConditions(args, type, call.services.limits.query)
    const order = readOrder(args.orderBy, type.objectType)
    return readList(call, args, {
      ...type,
      endpoint: 'mcp.search_objects',
      query,
      order,
      isByRelevance: args.words !== undefined && order.length === 0,
      includeTotalCount: true,
    })
  },
})

export const getObject = tool({
  name: 'get_object',
  title: 'Get an object',
  description: 'Returns one object with all its properties, or those that `select` names.',
  input: { ...typeArguments, primaryKey, ...sizeArguments },
  run: async ({ primaryKey: key, select = ['*'], textLength, ...names }, call) => {
    const { objectType } = await openType(call, names)
    const { selection } = chooseProperties(select, objectType)
    const record = { shape: flatRecordShape(objectType, { excludeRid: true }), selection }
    const { context } = call.request
    const { json } = await getRecord(objectType, String(key), record, context, call.services)
    context.sentPage = { objects: 1 }
    const { objects, notes } = cutRecords(json, textLength ?? TEXT_LENGTHS.object)
    return { object: objects[0], ...withNotes(notes) }
  },
})

export const followLink = tool({
  name: 'follow_link',
  title: 'Follow a link',
  description:
    'Returns the objects that a link leads to from one object, and a cursor if there are more. describe_type names the links.',
  input: {
    ...typeArguments,
    primaryKey,
    link: text('Name of the link.'),
    orderBy,
    ...pageArguments,
  },
  run: async (args, call) => {
    const { ontology, objectType } = await openType(call, args)
    const side = findLink(ontology, objectType, args.link)
    const written = String(args.primaryKey)
    const key = readKey(objectType, written)
    if (key === undefined) throw objectNotFound(objectType, written)
    const link = { side, key }
    const { linkedType } = side
    const order = readOrder(args.orderBy, linkedType)
    const query = await followedBy(link, {}, call.request.context, call.services)
    if (query === undefined) throw objectNotFound(objectType, written)
    const page = await readList(call, args, {
      ontology,
      objectType: linkedType,
      endpoint: `mcp.${linkEndpoint(link)}`,
      query,
      order,
      includeTotalCount: false,
    })
    return { objectType: linkedType.apiName, ...page }
  },
})

function readOrder(
  written: readonly { readonly property: string; readonly direction?: string }[] = [],
  objectType: ObjectType,
): readonly OrderTerm[] {
  const terms = written.map(({ property, direction = 'asc' }) => ({
    property,
    direction,
    nulls: 'nullsLast',
  }))
  return checkOrder(terms, objectType)
}

interface ListArguments {
  readonly select?: readonly string[]
  readonly textLength?: number
  readonly limit?: number
  readonly cursor?: string
}

/** Reads a page, and makes it small. */
async function readList(
  { request, services }: ToolCall,
  { select, textLength = TEXT_LENGTHS.list, limit = LIMITS.default, cursor }: ListArguments,
  spec: Omit<TypePageRequest, 'revision' | 'paging'>,
): Promise<object> {
  const { selection, notes } = chooseProperties(select, spec.objectType)
  const page = await readObjectPage(
    request,
    typePage({
      ...spec,
      revision: 'v2',
      selection,
      excludeRid: true,
      maximumPageSize: LIMITS.maximum,
      paging: { pageSize: limit, ...(cursor !== undefined && { pageToken: cursor }) },
    }),
    services,
  )
  request.context.sentPage = { objects: page.count }
  const cut = cutRecords(page.records, textLength)
  return {
    ...(page.totalCount !== undefined && { total: page.totalCount }),
    objects: cut.objects,
    ...(page.nextPageToken !== undefined && { cursor: page.nextPageToken }),
    ...withNotes(page.count === 0 ? [] : notes, cut.notes),
  }
}
