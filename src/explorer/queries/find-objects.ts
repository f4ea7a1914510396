/** Finds objects by their key, title or other texts, the best matches first. */
import { queryOptions } from '@tanstack/react-query'
import { readPage } from '../../client/endpoints/endpoint-group.ts'
import { objectSearchRequest } from '../../client/endpoints/object-sets.ts'
import type { FlatRecord, Page } from '../../client/endpoints/pages.ts'
import { compileWhere, OBJECT_SET_SYNTAX } from '../../client/query/compile-where.ts'
import { isWholeNumber, type ObjectTypeDefinition } from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { type Json, type JsonConditions, toJson } from '../view/compile-filters.ts'
import { type ShownType, textProperties, typePathOf } from '../view/type-view.ts'

export interface FoundObject extends ShownType {
  readonly key: string
  readonly title: string
  /** 0 for the best match. */
  readonly rank: number
}

/** Objects of each type that are found. */
const MOST = 8

/** Returns the objects of a type that fit a text, which may be unfinished. */
export function foundQuery(service: Service, type: ShownType, text: string) {
  return queryOptions({
    queryKey: ['found', type.objectType.rid, text],
    queryFn: async ({ signal }) => rankFound(await findInType(service, type, text, signal), text),
    staleTime: 10_000,
  })
}

async function findInType(
  { connection }: Service,
  type: ShownType,
  text: string,
  signal: AbortSignal,
): Promise<readonly Omit<FoundObject, 'rank'>[]> {
  const { objectType } = type
  const { primaryKey, titleProperty = primaryKey } = objectType
  const read = async (condition: JsonConditions, isRanked: boolean) => {
    const where = compileWhere([condition], OBJECT_SET_SYNTAX)
    const request = objectSearchRequest(typePathOf(type), {
      where,
      ...(isRanked && { orderBy: { orderType: 'relevance', fields: [] } }),
      select: [...new Set([primaryKey, titleProperty])],
      selectV2: [],
      pageSize: MOST,
    })
    const { data } = await readPage<Page<FlatRecord>>(connection, { ...request, signal })
    return data.map((record) => {
      const key = String(record.__primaryKey)
      return { ...type, key, title: record.__title ?? key }
    })
  }
  const keys = keysIn(objectType, text)
  const names = [...new Set([titleProperty, ...textProperties(objectType)])]
  const alternatives = names
    .filter((name) => textProperties(objectType).includes(name))
    // Whole words are better matches than beginnings, which relevance alone does not tell.
    .flatMap((name) => [{ [name]: { allTerms: text } }, { [name]: { prefix: text } }])
  const [byKey, byText] = await Promise.all([
    keys.length === 0 ? [] : read({ [primaryKey]: { in: keys } }, false),
    alternatives.length === 0 ? [] : read({ $or: alternatives }, true),
  ])
  return [...byKey, ...byText.filter(({ key }) => byKey.every((other) => other.key !== key))]
}

/** Returns the keys that a text may be: also in capitals, as codes are written. */
function keysIn({ properties, primaryKey }: ObjectTypeDefinition, text: string): readonly Json[] {
  const type = properties[primaryKey]?.type
  if (type === 'string') return [...new Set([text, text.toUpperCase()])]
  return isWholeNumber(type) && /^-?\d{1,18}$/.test(text) ? [toJson(text, type as never)] : []
}

/** Orders what was found: the key, then the title, its beginning, its words, then other texts. */
export function rankFound(
  found: readonly Omit<FoundObject, 'rank'>[],
  text: string,
): readonly FoundObject[] {
  const wanted = folded(text)
  const rankOf = ({ key, title }: Omit<FoundObject, 'rank'>) => {
    const name = folded(title)
    if (folded(key) === wanted) return 0
    if (name === wanted) return 1
    if (name.startsWith(wanted)) return 2
    const words = name.split(/[^\p{L}\p{N}]+/u)
    const isInTitle = wanted
      .split(/[^\p{L}\p{N}]+/u)
      .every((part) => words.some((word) => word.startsWith(part)))
    return isInTitle ? 3 : 4
  }
  return found
    .map((object) => ({ ...object, rank: rankOf(object) }))
    .toSorted((a, b) => a.rank - b.rank)
}

/** Returns a text without case and accents, as the service compares words. */
function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}
