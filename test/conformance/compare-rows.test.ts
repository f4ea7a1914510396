import { afterAll, beforeAll, expect, it } from 'vitest'
import { Endpoints } from '../../src/client/endpoints/endpoints.ts'
import type { ObjectTypeDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../src/ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import { isRejected, rowReader } from '../../src/transfer/columns/row-to-object.ts'
import { ChangeJournal } from '../../src/transfer/compare/change-journal.ts'
import { changeRecorder } from '../../src/transfer/compare/change-recorder.ts'
import { storedObjects, undoChanges } from '../../src/transfer/compare/stored-objects.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

type KeyType = ObjectTypeDefinition['properties'][string]['type']

/** Applies a type with a key of some type, and one property of every other kind. */
async function typeWithKey(key: KeyType): Promise<ObjectType> {
  const { body } = await service.apply({
    apiName: key,
    objectTypes: [
      {
        apiName: 'thing',
        primaryKey: 'id',
        properties: {
          id: { type: key },
          price: { type: 'decimal' },
          ratio: { type: 'double' },
          at: { type: 'timestamp' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    ],
  })
  return parseDefinition(body as never).objectTypes.get('thing') as ObjectType
}

it.each<[KeyType, string, string]>([
  ['string', 'a "quoted" key', 'b'],
  ['boolean', 'true', 'false'],
  ['byte', '1', '2'],
  ['short', '1', '2'],
  ['integer', '-1', '2'],
  ['long', '9007199254740993', '9007199254740995'],
  ['double', '0.1', '2'],
  ['date', '2024-02-29', '2024-03-01'],
  ['timestamp', '2024-02-29 12:30', '2024-03-01T00:00:00.123Z'],
])(
  'rows are compared with stored objects by a key of the type %s, and taken back',
  async (key, first, second) => {
    const type = await typeWithKey(key)
    const path = { ontology: key, objectType: 'thing' }
    const { administration, objectSets } = new Endpoints({
      baseUrl: service.url,
      token: ADMIN_TOKEN,
    })
    const read = rowReader(type)
    const objectOf = (id: string, ratio: string) => {
      const at = '2024-01-02 03:04'
      const cells = { id, price: '1.50', ratio, at, tags: '["a"]' }
      const row = read({ line: 2, cells }, 'text')
      if (isRejected(row)) throw new Error(row.reason)
      return { ...row, file: 'a.csv', line: 2 }
    }
    const write = async (...objects: readonly { readonly json: string }[]) => {
      const lines = objects.map(({ json }) => `{"put":${json}}\n`)
      await administration.writeObjects(path, lines.join(''))
    }
    const readStored = storedObjects(objectSets, key, type)
    const countsAfter = async (...objects: readonly ReturnType<typeof objectOf>[]) => {
      const journal = new ChangeJournal()
      await changeRecorder(type, { journal, readStored, mode: 'upsert' })(objects)
      return { counts: journal.counts, entries: [...journal.entries] }
    }
    await write(objectOf(first, '0.5'))
    const before = await readStored([objectOf(first, '').key])
    expect((await countsAfter(objectOf(first, '0.50'))).counts).toEqual({
      created: 0,
      changed: 0,
      unchanged: 1,
    })
    const sent = [objectOf(first, '0.75'), objectOf(second, '1')]
    const { counts, entries } = await countsAfter(...sent)
    expect(counts).toEqual({ created: 1, changed: 1, unchanged: 0 })
    await write(...sent)
    expect(await undoChanges(administration, path, entries, readStored)).toEqual({
      removed: 1,
      restored: 1,
      skipped: 0,
    })
    expect(await readStored(sent.map((object) => object.key))).toEqual(before)
  },
)
