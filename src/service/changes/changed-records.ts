import type { RecordShape } from '../../contract/object-record.ts'
import { keyValue, primaryKeyText } from '../../ontology/values/primary-key.ts'
import { pageTokenRefused } from '../../paging/walk-tokens.ts'
import type { ListedChange } from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { ChangeForm } from './change-form.ts'
import type { PartRange } from './changes-walk.ts'

/** What a page says about an object. */
export interface ChangeEntry {
  readonly kind: 'put' | 'delete'
  readonly change: ListedChange
  /** Whether the change may be only in properties that are hidden: then there is none. */
  readonly isDoubtful?: boolean
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
  range: PartRange,
  entries: readonly ChangeEntry[],
  form: ChangeForm,
  context: RequestContext,
  services: ServiceParts,
): Promise<ChangedRecords> {
  const keys = entries.flatMap(({ kind, change }) => (kind === 'put' ? [change.pk] : []))
  const puts = await readPuts({ ...range, form }, keys, range.until.version, context, services)
  const earlier = await readEarlier({ ...range, form }, entries, context, services)
  const { primaryKey } = range.objectType
  const texts: string[] = []
  let [putCount, done] = [0, 0]
  for (const { kind, change } of entries) {
    const put = kind === 'put' ? puts[putCount] : undefined
    if (kind === 'put' && put === undefined) break
    done += 1
    if (put === undefined) {
      const key = keyValue(primaryKey.type, primaryKeyText(primaryKey.type, change.pk))
      texts.push(JSON.stringify(form.deleted(key, range.objectType)))
    } else {
      putCount += 1
      if (earlier.get(change.pk) !== put) texts.push(put)
    }
  }
  return {
    records: Buffer.from(texts.join(',')),
    count: texts.length,
    isCut: done < entries.length,
    last: entries[done - 1]?.change,
  }
}

interface FormedRange extends PartRange {
  readonly form: ChangeForm
}

/** Returns the doubtful objects as they were before the changes. */
async function readEarlier(
  range: FormedRange,
  entries: readonly ChangeEntry[],
  context: RequestContext,
  services: ServiceParts,
): Promise<ReadonlyMap<string, string>> {
  const keys = entries.flatMap(({ isDoubtful = false, change }) => (isDoubtful ? [change.pk] : []))
  const earlier = new Map<string, string>()
  while (earlier.size < keys.length) {
    const rest = keys.slice(earlier.size)
    const puts = await readPuts(range, rest, range.since.version, context, services)
    for (const [index, put] of puts.entries()) earlier.set(rest[index] ?? '', put)
  }
  return earlier
}

/** Returns the entries of objects at a version, as many as fit into a page. */
async function readPuts(
  { objectType, record: { shape, selection }, form }: FormedRange,
  keys: readonly string[],
  version: number,
  context: RequestContext,
  { objects, limits }: ServiceParts,
): Promise<readonly string[]> {
  if (keys.length === 0) return []
  const page = await objects.readRecords(
    {
      objectType,
      record: { shape: asPut(shape, form), selection, separator: '\n' },
      isOfDefinition: true,
      keys,
      version,
      maxObjects: keys.length,
      maxBytes: limits.pageMaxBytes,
    },
    context,
  )
  if (page === 'reclaimed') throw pageTokenRefused(undefined, 'reclaimed')
  const puts = Buffer.from(page.records).toString('utf8').split('\n')
  page.release()
  return puts
}

function asPut(shape: RecordShape, { put: [before, after] }: ChangeForm): RecordShape {
  return [{ literal: before }, ...shape, { literal: after }]
}
