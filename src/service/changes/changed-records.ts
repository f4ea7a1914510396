import type { RecordShape } from '../../contract/object-record.ts'
import { keyValue, primaryKeyText } from '../../ontology/values/primary-key.ts'
import { pageTokenRefused } from '../../paging/walk-tokens.ts'
import type { ListedChange } from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { PartRange } from './changes-walk.ts'

/** What a page says about an object. */
export interface ChangeEntry {
  readonly kind: 'put' | 'delete'
  readonly change: ListedChange
}

export interface ChangedRecords {
  /** JSON texts, separated by commas. */
  readonly records: Uint8Array
  readonly count: number
  /** Whether the bytes of a page were used up before the last entry, and the last one that fits. */
  readonly isCut: boolean
  readonly last: ListedChange | undefined
}

/** Returns the entries as JSON, as many as a page has room for. */
export async function changedRecords(
  { objectType, record: { shape, selection }, until: { version } }: PartRange,
  entries: readonly ChangeEntry[],
  { namesTypes }: { readonly namesTypes: boolean },
  context: RequestContext,
  { objects, limits }: ServiceParts,
): Promise<ChangedRecords> {
  const keys = entries.flatMap(({ kind, change }) => (kind === 'put' ? [change.pk] : []))
  const page =
    keys.length === 0
      ? undefined
      : await objects.readRecords(
          {
            objectType,
            record: { shape: asPut(shape), selection, separator: '\n' },
            isOfDefinition: true,
            keys,
            version,
            maxObjects: keys.length,
            maxBytes: limits.pageMaxBytes,
          },
          context,
        )
  if (page === 'reclaimed') throw pageTokenRefused(undefined, 'reclaimed')
  const puts = page ? Buffer.from(page.records).toString('utf8').split('\n') : []
  page?.release()
  const { type } = objectType.primaryKey
  const named = namesTypes ? { objectType: objectType.apiName } : {}
  const texts: string[] = []
  let putCount = 0
  for (const { kind, change } of entries) {
    const put = kind === 'put' ? puts[putCount] : undefined
    if (kind === 'put' && put === undefined) break
    if (put === undefined) {
      const primaryKey = keyValue(type, primaryKeyText(type, change.pk))
      texts.push(JSON.stringify({ delete: { primaryKey, ...named } }))
    } else {
      texts.push(put)
      putCount += 1
    }
  }
  return {
    records: Buffer.from(texts.join(',')),
    count: texts.length,
    isCut: texts.length < entries.length,
    last: entries[texts.length - 1]?.change,
  }
}

function asPut(shape: RecordShape): RecordShape {
  return [{ literal: '{"put":' }, ...shape, { literal: '}' }]
}
