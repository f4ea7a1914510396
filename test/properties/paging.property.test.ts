/**
 * Random data, page sizes and commits between pages, checked against a model: a map of the written
 * objects. A page of a default walk must match the model at the time of the page; a page of a
 * snapshot walk must match the model at the start of the walk.
 */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Revision } from '../../src/contract/revisions.ts'
import { fcOptions } from '../support/fc-options.ts'
import { KEY_MODELS, type KeyModel } from '../support/key-model.ts'
import { type Service, startService } from '../support/service.ts'
import { type Page, type Walk, walkPages } from '../support/walk.ts'

type Objects = Map<unknown, { k: unknown; text: string }>
type Change = { put: { k: unknown; text: string } } | { delete: unknown }

interface Case {
  readonly key: KeyModel
  readonly first: readonly Change[]
  readonly between: readonly (readonly Change[])[]
  readonly sizes: readonly number[]
  readonly revision: Revision
  readonly snapshot: boolean
}

function changesOf(key: KeyModel, most: number): fc.Arbitrary<Change[]> {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 30 })
    .filter((value) => !value.includes('\0'))
  const put = fc.record({ k: key.keys, text }).map((object) => ({ put: object }))
  const remove = key.keys.map((k) => ({ delete: k }))
  return fc.array(fc.oneof({ weight: 5, arbitrary: put }, { weight: 1, arbitrary: remove }), {
    maxLength: most,
  })
}

const cases: fc.Arbitrary<Case> = fc.constantFrom(...KEY_MODELS).chain((key) =>
  fc
    .record({
      first: changesOf(key, 60),
      between: fc.array(changesOf(key, 8), { maxLength: 12 }),
      sizes: fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 6 }),
      kind: fc.constantFrom(
        { revision: '1.0' as const, snapshot: false },
        { revision: '1.0' as const, snapshot: true },
        { revision: '2.0' as const, snapshot: false },
      ),
    })
    .map(({ kind, ...rest }) => ({ key, ...kind, ...rest })),
)

describe.each([
  ['with room', {}],
  ['with pages cut short by their bytes', { OQS_PAGE_MAX_BYTES: '1024' }],
])('walks %s', (_name, settings) => {
  let service: Service
  let types = 0
  beforeAll(async () => {
    service = await startService({ settings })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** Creates an object type for each case, so that cases do not affect each other. */
  async function freshType(key: KeyModel): Promise<string> {
    types += 1
    const apiName = `type-${types}`
    const definition = {
      apiName,
      families: [apiName],
      objectTypes: [
        {
          apiName,
          primaryKey: 'k',
          properties: { k: { type: key.type }, text: { type: 'string' as const } },
        },
      ],
    }
    expect((await service.apply(definition)).status).toBe(200)
    return apiName
  }

  async function write(apiName: string, changes: readonly Change[], model: Objects): Promise<void> {
    expect((await service.write(apiName, apiName, changes)).status).toBe(200)
    for (const change of changes) {
      if ('put' in change) model.set(change.put.k, change.put)
      else model.delete(change.delete)
    }
  }

  it('[2.1.1] [2.1.2] [2.1.3] [4.5.1] [4.5.2] return every object once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (how) => {
        const apiName = await freshType(how.key)
        const model: Objects = new Map()
        await write(apiName, how.first, model)
        const atStart = new Map(model)
        const touched = new Set<unknown>()
        const commits = how.between.values()
        let pagesSeen = 0
        let last: unknown
        let pageSize = 0

        const nextSize = () => {
          pageSize = how.sizes[pagesSeen % how.sizes.length] ?? 1
          pagesSeen += 1
          return pageSize
        }
        const checkPage = (page: Page) => {
          const expected = following(how.snapshot ? atStart : model, how.key, pagesSeen > 1, last)
          const records = page.data.map((record) => record.properties)
          expect(records).toEqual(expected.slice(0, records.length))
          const full = Math.min(pageSize, expected.length)
          if (Object.keys(settings).length === 0) expect(records).toHaveLength(full)
          else if (full > 0) expect(records.length).toBeGreaterThan(0)
          expect(page.nextPageToken !== undefined).toBe(expected.length > records.length)
          if (how.revision === '1.0') {
            expect(page.totalCount).toBe(String((how.snapshot ? atStart : model).size))
          }
          last = records.at(-1)?.k
        }
        const walk: Walk = {
          revision: how.revision,
          ontology: apiName,
          family: apiName,
          objectType: apiName,
          pageSize: nextSize,
          ...(how.revision === '1.0' ? { snapshot: how.snapshot } : {}),
          between: async (page) => {
            checkPage(page)
            const { value: changes } = commits.next()
            if (changes === undefined) return
            await write(apiName, changes, model)
            for (const change of changes)
              touched.add('put' in change ? change.put.k : change.delete)
          },
        }
        const pages = await walkPages(service, walk)
        const lastPage = pages.at(-1)
        if (lastPage !== undefined) checkPage(lastPage)

        // Each object that no commit touched was returned exactly once.
        const seen = pages.flatMap((page) => page.data.map((record) => record.properties.k))
        expect(new Set(seen).size).toBe(seen.length)
        for (const k of atStart.keys()) {
          if (!touched.has(k)) expect(seen.filter((key) => key === k)).toEqual([k])
        }
      }),
      fcOptions(80, 30),
    )
  })
})

/** Returns the objects after a key, in key order. */
function following(model: Objects, key: KeyModel, started: boolean, last: unknown) {
  return [...model.values()]
    .sort((a, b) => key.compare(a.k as never, b.k as never))
    .filter(({ k }) => !started || key.compare(k as never, last as never) > 0)
}
