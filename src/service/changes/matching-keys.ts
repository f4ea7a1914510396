import { keyColumn, type RecordShape } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { primaryKeyText, readPrimaryKey } from '../../ontology/values/primary-key.ts'
import { pageTokenRefused } from '../../paging/walk-tokens.ts'
import { matchAll } from '../../query/combine-queries.ts'
import { readComparedValue } from '../../query/compared-value.ts'
import type { Query } from '../../query/query.ts'
import type { Cursor } from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { TypeVersions } from './changes-walk.ts'

interface MemberSearch {
  readonly objectType: ObjectType
  readonly query: Query
  readonly versions: TypeVersions
  /** The stored keys of the objects in question. */
  readonly pks: readonly string[]
}

/** Returns the keys of the objects that match a query, and that the caller may see, at a version. */
export async function membersOf(
  { objectType, query, versions: { version, linked }, pks }: MemberSearch,
  context: RequestContext,
  { objects, limits }: Pick<ServiceParts, 'objects' | 'limits'>,
): Promise<ReadonlySet<string>> {
  const members = new Set<string>()
  if (pks.length === 0) return members
  const { apiName: property, type } = objectType.primaryKey
  const values = pks.map((pk) => readComparedValue(type, primaryKeyText(type, pk)))
  const listed: Query = { kind: 'oneOf', field: { property, structField: undefined }, values }
  const shape: RecordShape = [{ column: keyColumn(type) }]
  for (let after: Cursor | undefined; ; ) {
    const page = await objects.readPage(
      {
        objectType,
        query: matchAll([listed, query]),
        order: [],
        record: { shape, selection: undefined },
        after,
        version,
        linkedVersions: linked,
        maxObjects: pks.length,
        maxBytes: limits.pageMaxBytes,
        includeTotalCount: false,
        matchEstimate: pks.length,
      },
      context,
    )
    if (page === 'reclaimed') throw pageTokenRefused(undefined, 'reclaimed')
    const keys = JSON.parse(`[${Buffer.from(page.records).toString('utf8')}]`) as unknown[]
    page.release()
    for (const key of keys) members.add(readPrimaryKey(type, key).pk)
    if (!page.more) return members
    after = page.last
  }
}
