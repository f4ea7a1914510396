/** Two object types that change, and what callers with any rights ask about them. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { RuledObjects, restrictType } from '../../src/access/ruled-objects.ts'
import { ObjectQueryError } from '../../src/contract/errors.ts'
import { recordShape } from '../../src/contract/object-record.ts'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import type { PropertyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import {
  objectReader,
  readObjectKey,
  type StoredObject,
} from '../../src/ontology/values/read-object.ts'
import { parseAggregation } from '../../src/query/aggregation/parse-aggregation.ts'
import { V2_AGGREGATIONS } from '../../src/query/aggregation/v2-aggregations.ts'
import { EVERYTHING, type Query } from '../../src/query/query.ts'
import { linkedTypesOf } from '../../src/query/query-tree.ts'
import { checkSelection } from '../../src/query/selection.ts'
import { createColumnLoad } from '../../src/store/columns/load/load-columns.ts'
import { RepeatedKey } from '../../src/store/columns/segment/unordered-keys.ts'
import type {
  ColumnLoad,
  LoadedColumns,
  Objects,
  Reclaimed,
  SetOrderTerm,
} from '../../src/store/object-store.ts'
import type { Case, Group, Step } from './answer-cases.ts'
import { type AnswerStores, SEGMENT_ROWS } from './answer-stores.ts'
import type { GeneratedChange } from './query-arbitraries.ts'
import { pageRequest, retention } from './store-fixture.ts'
import { QUERY_LIMITS, toOrder, toQuery } from './to-query.ts'

const LOAD = { segmentRows: SEGMENT_ROWS }

/** Returns the columns of objects; undefined if one is repeated. */
function load(objects: readonly StoredObject[], into: ColumnLoad): LoadedColumns | undefined {
  try {
    for (const object of objects) into.add(object)
    return into.finish()
  } catch (error) {
    if (error instanceof RepeatedKey) return undefined
    throw error
  }
}

const NAMES = ['first', 'second'] as const
const WIDER: Readonly<Record<string, PropertyDefinition['type']>> = {
  byte: 'short',
  short: 'integer',
  integer: 'long',
  float: 'double',
}

/** Two object types of a store, and the versions that they had. */
export class AnswerWorld {
  readonly #stores: AnswerStores
  readonly #group: Group
  readonly #ontology = `o-${randomUUID()}`
  /** How many questions were compared, and how many refused before they were asked. */
  readonly #outcomes: Record<'compared' | 'refused', number>
  #properties: readonly Record<string, PropertyDefinition>[]
  #versions: number[][] = [[], []]
  #added = 0
  #nowMs = 0

  constructor(
    stores: AnswerStores,
    group: Group,
    outcomes: Record<'compared' | 'refused', number>,
  ) {
    this.#stores = stores
    this.#group = group
    this.#outcomes = outcomes
    this.#properties = group.types.map(({ type }) => ({ ...type.definition.properties }))
  }

  /** Fills the types. */
  async begin(): Promise<void> {
    await this.#define()
    for (const [index, { commits }] of this.#group.types.entries()) {
      for (const changes of commits) await this.#commit(index, changes)
    }
  }

  /** Does what a step does, and checks its questions. */
  async run(step: Step): Promise<void> {
    const { to, changes, cases } = step
    switch (step.do) {
      case 'commit': {
        // Snapshots do not depend on what is written meanwhile.
        const [during] = cases.filter(({ back }) => back !== undefined)
        await Promise.all([this.#commit(to, changes), during && this.#check(during, step, true)])
        break
      }
      case 'replace': {
        const type = await this.#typeAt(to)
        const replacement = await this.#stores.store.startReplacement(type)
        const puts = changes.filter((change) => 'put' in change)
        using columns = createColumnLoad(type, { ...LOAD, folder: this.#stores.folder })
        const read = objectReader(type)
        await this.#commit(to, puts, replacement)
        const mode = this.#added % 2 === 0 ? 'replace' : 'upsert'
        const loaded = load(
          puts.map(({ put }) => read(put)),
          columns,
        )
        const { version } = await this.#stores.store.publishReplacement(type, replacement, mode)
        this.#versions[to]?.push(version)
        const typeRid = type.rid
        if (loaded) await this.#stores.adopt({ ...loaded, typeRid, replacement, version })
        break
      }
      case 'add':
        this.#added += 1
        this.#change(to, `added${this.#added}`, { type: 'string' })
        await this.#define()
        break
      case 'convert':
        await this.#convert(to)
        break
      case 'reclaim':
        this.#nowMs += 1000
        await this.#stores.store.reclaim(retention(this.#nowMs))
        break
      case 'kill':
        await Promise.all([this.#commit(to, changes), this.#stores.kill()])
        await Promise.all([...cases.map((how) => this.#check(how, step)), this.#stores.kill()])
        break
      case 'restart':
        await this.#stores.restart()
        break
      case 'damage':
        await this.#stores.damage()
        break
      case 'restore':
        await this.#restore(step)
    }
    for (const how of cases) await this.#check(how, step)
  }

  /** Restores what was before some changes, which questions know about. */
  async #restore({ to, changes, ...step }: Step): Promise<void> {
    const copy = await this.#stores.backUp()
    const versions = this.#versions.map((own) => [...own])
    await this.#commit(to, changes)
    for (const how of step.cases) await this.#check(how, { to, changes, ...step })
    await this.#stores.restore(copy)
    this.#versions = versions
  }

  #change(index: number, name: string, property: PropertyDefinition): void {
    this.#properties = this.#properties.with(index, {
      ...this.#properties[index],
      [name]: property,
    })
  }

  /** Makes a number wider or changes the language of a text, which writes all objects again. */
  async #convert(index: number): Promise<void> {
    const numbers = this.#othersThanKey(index).filter(([, { type }]) => WIDER[type] !== undefined)
    const [number, { type = '' } = {}] = numbers.at(-1) ?? []
    const wider = WIDER[type]
    if (number !== undefined && wider !== undefined) this.#change(index, number, { type: wider })
    else this.#changeLanguage(index)
    await this.#define()
    const page = await this.#stores.database.readPage(pageRequest(await this.#typeAt(index)))
    if (page !== 'reclaimed') this.#versions[index]?.push(page.version)
  }

  #othersThanKey(index: number): [string, PropertyDefinition][] {
    const key = this.#group.types[index]?.type.definition.primaryKey
    return Object.entries(this.#properties[index] ?? {}).filter(([name]) => name !== key)
  }

  #changeLanguage(index: number): void {
    const texts = this.#othersThanKey(index).filter(([, { type }]) => type === 'string')
    const [name, text] = texts.at(-1) ?? []
    if (name === undefined || text === undefined) return
    const { language, ...plain } = text
    this.#change(index, name, language === undefined ? { ...plain, language: 'english' } : plain)
  }

  async #define(): Promise<void> {
    const { store } = this.#stores
    const objectTypes = this.#group.types.map(({ type }, index) => ({
      ...type.definition,
      apiName: NAMES[index] ?? '',
      properties: this.#properties[index] ?? {},
    }))
    const ontology = { apiName: this.#ontology, objectTypes }
    const change = planChange(this.#ontology, ontology, await store.readCatalogue(), randomUUID)
    expect(await store.saveOntology(change)).toBe('saved')
  }

  async #typeAt(index: number): Promise<ObjectType> {
    const catalogue = await this.#stores.store.readCatalogue()
    const type = catalogue.find(this.#ontology)?.objectTypes.get(NAMES[index] ?? '')
    if (type === undefined) throw new Error('no type')
    return type
  }

  async #commit(index: number, changes: readonly GeneratedChange[], replacement?: string) {
    const type = await this.#typeAt(index)
    const read = objectReader(type)
    const { version } = await this.#stores.store.commit({
      objectType: type,
      basedOn: (await this.#stores.store.readCatalogue()).generation,
      changes: changes.map((change) =>
        'put' in change
          ? { put: read(change.put) }
          : { delete: readObjectKey(type, change.delete).pk },
      ),
      ...(replacement === undefined ? {} : { replacement }),
    })
    const versions = this.#versions[index] ?? []
    if (replacement === undefined && version !== versions.at(-1)) versions.push(version)
  }

  async #check(how: Case, step: Step, isWritten = false): Promise<void> {
    const asked = await this.#askedBy(how)
    this.#outcomes[asked === undefined ? 'refused' : 'compared'] += 1
    if (asked === undefined) return
    const { ask, next } = asked
    for (let after: unknown, pages = 0; pages < 100; pages += 1) {
      const [fromColumns, fromDatabase] = await Promise.all([
        outcomeOf(how.kind, () => ask(new RuledObjects(this.#stores.store), after)),
        outcomeOf(how.kind, () => ask(new RuledObjects(this.#stores.database), after)),
      ])
      const shorter = shorterOf(fromColumns, fromDatabase)
      const [a, b] = [fromColumns, fromDatabase].map((outcome) =>
        withoutUnused(outcome, how, shorter),
      )
      // Without conditions, the count is that of the current objects.
      if (isWritten) for (const outcome of [a, b]) delete outcome?.['totalCount']
      if (!isDeepStrictEqual(a, b)) {
        throw new Error(this.#describe({ fromColumns, fromDatabase, after }, how, step))
      }
      // Each continues after the pages of the other.
      after = next(shorter ?? (pages % 2 === 0 ? fromDatabase : fromColumns))
      if (after === undefined) return
    }
  }

  #describe(outcome: object, { aggregation, ...how }: Case, { do: done, to }: Step): string {
    const types = this.#group.types.map(({ type }) => type.definition)
    const asked = how.kind === 'aggregate' ? { ...how, aggregation } : how
    const versions = this.#versions
    return JSON.stringify({ ...outcome, asked, done, to, versions, types }, undefined, 1)
  }

  /** Returns what to ask of both, and where the next page starts; undefined if it is refused. */
  async #askedBy(how: Case): Promise<Asked | undefined> {
    const own = how.of
    const types = await Promise.all([this.#typeAt(0), this.#typeAt(1)])
    try {
      const views = types.map((type, index) => restricted(type, how, index))
      return this.#ask(how, own, views as [ObjectType, ObjectType])
    } catch (error) {
      if (error instanceof ObjectQueryError) return undefined
      throw error
    }
  }

  #ask(how: Case, own: 0 | 1, views: readonly [ObjectType, ObjectType]): Asked {
    const [view, other] = own === 0 ? views : [views[1], views[0]]
    const query = linkedQuery(how, view, other)
    const version = this.#versionOf(own, how)
    const { size: maxObjects, maxBytes, includeTotalCount } = how
    const record = (type: ObjectType, selection: readonly string[]) => ({
      shape: recordShape('2.0', type.apiName),
      selection: checkSelection(selection, type),
    })
    const otherVersion = this.#versionOf(own === 0 ? 1 : 0, how)
    switch (how.kind) {
      case 'page': {
        const linkedVersions = linkedTypesOf(query, view).map(() => otherVersion ?? 0)
        const order = toOrder(how.order, view)
        const request = pageRequest(view, {
          query,
          order,
          record: record(view, how.selection),
          version,
          maxObjects,
          maxBytes,
        })
        return {
          ask: (objects, after) =>
            objects.readPage({
              ...request,
              after: after as typeof request.after,
              includeTotalCount: includeTotalCount && after === undefined,
              ...(version !== undefined && { linkedVersions }),
            }),
          next: nextCursor,
        }
      }
      case 'setPage': {
        const parts = [
          { objectType: view, query, record: record(view, how.selection) },
          { objectType: other, query: toQuery(how.other, other), record: record(other, []) },
        ]
        const versions = version === undefined ? undefined : [version, otherVersion ?? 0]
        const order = toOrder(how.order, view).map(({ property, ...term }): SetOrderTerm => {
          const type = scalarOf(view, property)
          const same = [...other.properties.keys()].find((name) => scalarOf(other, name) === type)
          if (type === undefined) throw new ObjectQueryError('InvalidPropertyType', { property })
          return { ...term, type, properties: [property, same] }
        })
        return {
          ask: (objects, after) =>
            objects.readSetPage({
              ...{ parts, order, versions, maxObjects, maxBytes },
              after: after as never,
              includeTotalCount: includeTotalCount && after === undefined,
            }),
          next: nextCursor,
        }
      }
      case 'aggregate': {
        const aggregation = parseAggregation(V2_AGGREGATIONS, how.aggregation, {
          objectType: view,
          limits: QUERY_LIMITS,
        })
        const sources = [{ objectType: view, query, version }]
        return {
          ask: (objects) => objects.aggregate({ sources, aggregation, maxGroups: 10 * maxObjects }),
          next: () => undefined,
        }
      }
    }
  }

  #versionOf(index: 0 | 1, { back }: Case): number | undefined {
    return back === undefined
      ? undefined
      : (this.#versions[index]?.at(-1 - back) ?? this.#versions[index]?.[0])
  }
}

interface Asked {
  readonly ask: (objects: Objects, after: unknown) => Promise<object | Reclaimed>
  readonly next: (outcome: Outcome) => unknown
}

/** What a caller gets: what the port promises of an answer, or the error. */
type Outcome = Record<string, unknown>

const MEMBERS: Readonly<Record<Case['kind'], readonly string[]>> = {
  page: ['count', 'last', 'more', 'totalCount', 'version', 'linkedVersions'],
  setPage: ['count', 'last', 'more', 'totalCount', 'versions'],
  aggregate: ['excludedItems', 'versions'],
}

async function outcomeOf(
  kind: Case['kind'],
  ask: () => Promise<object | Reclaimed>,
): Promise<Outcome> {
  try {
    const answer = await ask()
    if (answer === 'reclaimed') return { answer }
    const { records, release, ...rest } = answer as Record<string, unknown>
    const pieces = records instanceof Uint8Array ? [records] : (records as readonly Uint8Array[])
    const text = Buffer.concat(pieces).toString()
    if (typeof release === 'function') release()
    return { ...Object.fromEntries(MEMBERS[kind].map((name) => [name, rest[name]])), text }
  } catch (error) {
    if (!(error instanceof ObjectQueryError)) throw error
    // On a machine that is too busy, a question can wait too long for its turn.
    if (error.errorName === 'ServiceUnavailable') return outcomeOf(kind, ask)
    return { refused: error.errorName, ...error.parameters }
  }
}

/** Returns the page with fewer objects: which of them reach the byte budget is an estimate. */
function shorterOf(...[a, b]: readonly [Outcome, Outcome]): Outcome | undefined {
  if (a['count'] === b['count']) return undefined
  const shorter = Number(a['count']) < Number(b['count']) ? a : b
  return shorter['more'] === true ? shorter : undefined
}

/** Leaves out what may differ: in key order, the version of a cursor means nothing. */
function withoutUnused(outcome: Outcome, how: Case, shorter: Outcome | undefined): Outcome {
  const { last, ...rest } = outcome
  if (shorter !== undefined && how.maxBytes < 1000) {
    const text = String(rest['text']).slice(0, String(shorter['text']).length)
    return { ...rest, text, count: undefined, more: undefined }
  }
  const isByKey = how.order.length === 0 && last !== undefined
  return { ...rest, last: isByKey ? { ...(last as object), version: undefined } : last }
}

function nextCursor({ more, last }: Outcome): unknown {
  return more === true ? last : undefined
}

/** Returns the type as the caller of a case sees it. Its key is always visible. */
function restricted(type: ObjectType, { rights }: Case, index: number): ObjectType {
  const { rows, hidden = [] } = rights[index] ?? {}
  const names = [...type.properties.keys()]
  const shown = names.filter(
    (name, number) => name === type.primaryKey.apiName || !hidden.includes(number),
  )
  if (rows === undefined && shown.length === names.length) return type
  const visible = {
    ...type,
    properties: new Map(shown.map((name) => [name, type.properties.get(name)])),
    titleProperty: shown.includes(type.titleProperty ?? '') ? type.titleProperty : undefined,
  } as ObjectType
  return restrictType(visible, {
    of: type,
    rows: rows === undefined ? EVERYTHING : toQuery(rows, type),
    shown: shown.length === names.length ? undefined : shown,
  })
}

function scalarOf({ properties }: ObjectType, name: string) {
  const type = properties.get(name)?.type
  return type?.kind === 'scalar' ? type.type : undefined
}

/** Adds the condition on linked objects, if there are properties that could link. */
function linkedQuery(how: Case, view: ObjectType, other: ObjectType): Query {
  const query = toQuery(how.condition, view)
  if (how.link === undefined) return query
  const { choice, as } = how.link
  const links = [other, view].flatMap((linked) =>
    [...view.properties.keys()].flatMap((property) =>
      [...linked.properties.keys()]
        .filter(
          (name) =>
            scalarOf(view, property) !== undefined &&
            scalarOf(view, property) === scalarOf(linked, name) &&
            (property === view.primaryKey.apiName || name === linked.primaryKey.apiName),
        )
        .map((name) => ({ property, linkedType: linked, linkedProperty: name })),
    ),
  )
  const link = links[choice % Math.max(1, links.length)]
  if (link === undefined) return query
  const of = toQuery(link.linkedType === other ? how.other : how.condition, link.linkedType)
  const linked: Query = { kind: 'linked', ...link, of }
  switch (as) {
    case 'and':
    case 'or':
      return { kind: as, of: [query, linked] }
    case 'not':
      return { kind: 'and', of: [query, { kind: 'not', of: linked }] }
  }
}
