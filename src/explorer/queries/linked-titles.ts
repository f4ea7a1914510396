/** The titles of objects that foreign keys lead to, read in batches and kept for the screen. */
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { Observable } from '../api/observable.ts'
import {
  findType,
  keyText,
  linkAt,
  type ObjectTypeDefinition,
  type OntologyDefinition,
} from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import type { ShownType } from '../view/type-view.ts'
import { readRecords } from './object-queries.ts'

export interface LinkedKey {
  /** The API name of the type that the key leads to. */
  readonly type: string
  readonly key: string
}

export type Titles = ReadonlyMap<string, string>

/** Keys of one request. */
const BATCH = 200
/** When more titles were read, those of the last batch are kept. */
const MOST = 5000

/** Returns the title of an object; undefined while it is unknown. */
export function titleIn(titles: Titles, { type, key }: LinkedKey): string | undefined {
  return titles.get(idOf(type, key))
}

/** Reads the titles that were not asked for before. Without them, readers see the keys. */
export class LinkedTitles {
  readonly #service: Service
  readonly #ontology: OntologyDefinition
  readonly #asked = new Set<string>()
  readonly titles = new Observable<Titles>(new Map())

  constructor(service: Service, ontology: OntologyDefinition) {
    this.#service = service
    this.#ontology = ontology
  }

  /** Requests the titles of keys, and changes `titles` when they arrive. */
  async ask(wanted: readonly LinkedKey[]): Promise<void> {
    const unknown = wanted.filter(({ type, key }) => !this.#asked.has(idOf(type, key)))
    const byType = Map.groupBy(unknown, ({ type }) => type)
    await Promise.all(
      [...byType].flatMap(([name, keys]) => {
        const type = findType(this.#ontology, name)
        if (type === undefined || !hasTitles(type)) return []
        const distinct = [...new Set(keys.map(({ key }) => key))]
        return batchesOf(distinct).map((batch) => this.#readBatch(type, batch))
      }),
    )
  }

  async #readBatch(type: ObjectTypeDefinition, keys: readonly string[]): Promise<void> {
    const ids = keys.map((key) => idOf(type.apiName, key))
    for (const id of ids) this.#asked.add(id)
    try {
      const read = await readTitles(this.#service, this.#ontology, type, keys)
      const known = this.titles.get()
      const isFull = known.size + read.size > MOST
      if (isFull) {
        this.#asked.clear()
        for (const id of ids) this.#asked.add(id)
      }
      this.titles.set(new Map([...(isFull ? [] : known), ...read]))
    } catch {
      // The keys stay readable, and the next request may succeed.
      for (const id of ids) this.#asked.delete(id)
    }
  }
}

async function readTitles(
  service: Service,
  ontology: OntologyDefinition,
  type: ObjectTypeDefinition,
  keys: readonly string[],
): Promise<Titles> {
  const { apiName, primaryKey, titleProperty = primaryKey } = type
  const isText = type.properties[primaryKey]?.type === 'string'
  const wanted = isText ? keys : keys.map((key) => toNumber(key))
  const conditions = [{ [primaryKey]: { in: wanted } }]
  const query = { conditions, order: [], select: [primaryKey, titleProperty] }
  const shown = { ontology, objectType: type }
  const records = await readRecords(service, shown, query, { pageSize: keys.length })
  return new Map(
    records.flatMap(({ key, title }) =>
      title === undefined ? [] : [[idOf(apiName, keyText(key)), title] as const],
    ),
  )
}

/** Keys of long types stay text, so that no digit is lost. */
function toNumber(key: string): number | string {
  const number = Number(key)
  return Number.isSafeInteger(number) && String(number) === key ? number : key
}

function hasTitles({ titleProperty, primaryKey }: ObjectTypeDefinition): boolean {
  return titleProperty !== undefined && titleProperty !== primaryKey
}

function idOf(type: string, key: string): string {
  return `${type}/${key}`
}

function batchesOf(keys: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(keys.length / BATCH)
  return Array.from({ length: count }, (_, index) => keys.slice(index * BATCH, (index + 1) * BATCH))
}

/** Keys are asked for when they stay on the screen this long: not while a reader scrolls past. */
const SETTLE_MS = 80

/** Returns the titles of linked objects as far as they are known. The keys must be memoised. */
export function useLinkedTitles(
  ontology: OntologyDefinition,
  wanted: readonly LinkedKey[],
): Titles {
  const { service } = useSession()
  const titles = useMemo(() => new LinkedTitles(service, ontology), [service, ontology])
  useEffect(() => {
    if (wanted.length === 0) return
    const timer = setTimeout(() => void titles.ask(wanted), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [titles, wanted])
  return useSyncExternalStore(titles.titles.subscribe, titles.titles.get)
}

/** Returns the titles of values of a property that are keys of objects. The values must be memoised. */
export function useValueTitles(
  { ontology, objectType }: ShownType,
  property: string,
  values: readonly string[],
): (value: string) => string | undefined {
  const type = linkAt(ontology, objectType.apiName, property)?.target
  const wanted = useMemo(
    () => (type === undefined ? [] : values.map((key) => ({ type, key }))),
    [type, values],
  )
  const titles = useLinkedTitles(ontology, wanted)
  return (key) => (type === undefined ? undefined : titleIn(titles, { type, key }))
}
