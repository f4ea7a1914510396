/** What a store keeps of definitions in memory, and how large they may be together. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { planChange } from '../src/ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import { OntologyCache } from '../src/ontology/ontology-cache.ts'
import type { ObjectStore } from '../src/store/object-store.ts'
import { INTERNAL_CONTEXT } from '../src/store/port/request-context.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { thingsDefinition } from './support/store-fixture.ts'

const KIB = 1024

async function define(store: ObjectStore, definition: OntologyDefinition, callerId = 'ada') {
  const { apiName } = definition
  const catalogue = await store.readCatalogue({ named: [{ ontology: apiName }], callerId })
  const change = planChange(apiName, definition, catalogue, randomUUID)
  return store.saveOntology(change, { ...INTERNAL_CONTEXT, callerId })
}

const load = (store: ObjectStore, ontology: string, callerId = 'ada') =>
  store.readCatalogue({ named: [{ ontology }], callerId })

/** A definition of about the given size. */
const sized = (apiName: string, bytes: number): OntologyDefinition => ({
  ...thingsDefinition(apiName),
  linkTypes: [],
  objectTypes: Array.from({ length: Math.ceil(bytes / 10_000) }, (_, index) => ({
    apiName: `thing${index}`,
    primaryKey: 'k',
    description: 'x'.repeat(9800),
    properties: { k: { type: 'string' as const } },
  })),
})

export function definitionContract({ name, open, openAgain }: StoreUnderTest): void {
  describe(`the ${name} store: definitions in memory`, () => {
    it('loads a definition when it is named, and knows the names of all', async () => {
      await using store = await open()
      await define(store, thingsDefinition('first'))
      await define(store, { ...thingsDefinition('second'), families: ['two', 'deux'] })
      await using other = await openAgain()
      const names = await other.readCatalogue({ named: [{ ontology: 'first' }] })
      expect(names.index.entries.map(({ apiName }) => apiName)).toEqual(['first', 'second'])
      expect(names.ontologies).toEqual([])
      expect(names.isLoaded({ ontology: 'first' })).toBe(false)
      expect(() => names.find('first')).toThrow('was not loaded')
      expect(other.cachedCatalogue({ ontology: 'first' })).toBeUndefined()

      const loaded = await load(other, 'first')
      expect(loaded.find('first')?.objectTypes.has('thing')).toBe(true)
      expect(other.cachedCatalogue({ ontology: 'first' })?.find('first')).toBe(loaded.find('first'))
      expect(other.cachedCatalogue({ ontology: 'none' })?.find('none')).toBeUndefined()
      expect(other.cachedCatalogue({ apiFamily: 'deux' })).toBeUndefined()
      const family = await other.readCatalogue({ named: [{ apiFamily: 'deux' }], callerId: 'ada' })
      expect(family.findByFamily('two')?.apiName).toBe('second')
    })

    it('sees at once what another process has changed, renamed or deleted', async () => {
      await using store = await open()
      await using other = await openAgain()
      await define(store, thingsDefinition('things'))
      const before = (await load(other, 'things')).find('things')
      await define(store, { ...thingsDefinition('things'), description: 'changed' })
      const after = await load(other, 'things')
      expect(after.find('things')?.definition.description).toBe('changed')
      expect(after.find('things')).not.toBe(before)
      // A change of another ontology replaces nothing.
      await define(store, thingsDefinition('others'))
      expect((await load(other, 'things')).find('things')).toBe(after.find('things'))

      const { generation: basedOn } = await load(store, 'things')
      const ontologyRid = after.find('things')?.rid ?? ''
      await store.deleteOntology({ ontologyRid, apiName: 'things', basedOn, cascade: true })
      expect((await load(other, 'things')).find('things')).toBeUndefined()
    })

    it('keeps no more definitions than fit, and reads any of them again', async () => {
      const definitions = new OntologyCache(2000 * KIB)
      await using store = await open({ definitions })
      for (let index = 0; index < 12; index += 1) {
        await define(store, sized(`large${index}`, 300_000))
        expect(definitions.bytes).toBeLessThanOrEqual(definitions.maxBytes)
      }
      for (let index = 0; index < 12; index += 1) {
        const catalogue = await load(store, `large${index}`)
        expect(catalogue.find(`large${index}`)?.objectTypes.size).toBe(30)
        expect(definitions.bytes).toBeLessThanOrEqual(definitions.maxBytes)
      }
      expect(definitions.bytes).toBeGreaterThan(definitions.maxBytes / 2)
      expect(store.cachedCatalogue({ ontology: 'large0' })).toBeUndefined()
      // Commands and tests may need all of them at once.
      expect((await store.readCatalogue()).ontologies).toHaveLength(12)
    })

    it('returns the texts of all ontologies without their definitions', async () => {
      await using store = await open()
      await define(store, { ...thingsDefinition('b'), displayName: 'B', description: 'Second' })
      await define(store, thingsDefinition('a'))
      const texts = (await store.readOntologySummaries()).map(({ rid: _, ...rest }) => rest)
      expect(texts).toEqual([
        { apiName: 'a', displayName: undefined, description: undefined },
        { apiName: 'b', displayName: 'B', description: 'Second' },
      ])
    })
  })

  describe(`the ${name} store: the size of definitions`, () => {
    const definitionLimits = { totalBytes: 1000 * KIB, callerBytes: 500 * KIB }
    const refused = { errorName: 'DefinitionsExceededLimit' }

    it('is limited for each caller that creates ontologies, and for all together', async () => {
      await using store = await open({ definitionLimits })
      await define(store, sized('first', 400_000), 'mallory')
      await expect(define(store, sized('second', 400_000), 'mallory')).rejects.toMatchObject({
        ...refused,
        parameters: {
          definitionsLimit: 500 * KIB,
          reason: expect.stringContaining('OQS_CALLER_DEFINITIONS_MAX_BYTES'),
        },
      })
      await define(store, sized('third', 400_000), 'bob')
      await expect(define(store, sized('fourth', 400_000), 'carol')).rejects.toMatchObject({
        ...refused,
        parameters: {
          definitionsLimit: 1000 * KIB,
          reason: expect.stringContaining('OQS_DEFINITIONS_MAX_BYTES'),
        },
      })
      expect((await store.readCatalogue()).index.entries.map(({ apiName }) => apiName)).toEqual([
        'first',
        'third',
      ])
    })

    it('counts for the creator whoever changes a definition, and only if it grows', async () => {
      await using store = await open({ definitionLimits })
      await define(store, sized('first', 400_000), 'mallory')
      await expect(define(store, sized('first', 600_000), 'bob')).rejects.toMatchObject(refused)
      await define(store, sized('first', 300_000), 'bob')
      await define(store, sized('second', 100_000), 'mallory')
      await using strict = await openAgain({ definitionLimits: { totalBytes: 1, callerBytes: 1 } })
      await define(strict, sized('first', 200_000), 'mallory')
      await expect(define(strict, sized('first', 300_000))).rejects.toMatchObject(refused)
    })

    it('counts small ontologies with 64 KiB', async () => {
      await using store = await open({ definitionLimits })
      for (let index = 0; index < 7; index += 1) await define(store, thingsDefinition(`s${index}`))
      await expect(define(store, thingsDefinition('s7'))).rejects.toMatchObject(refused)
    })
  })

  it('refuses the RID of an object type of another ontology', async () => {
    await using store = await open()
    await define(store, thingsDefinition('first'))
    const [type] = (await load(store, 'first')).find('first')?.objectTypes.values() ?? []
    const [thing] = thingsDefinition('second').objectTypes
    const stolen = { apiName: 'second', objectTypes: [{ ...thing, rid: type?.rid }] }
    await expect(define(store, stolen as OntologyDefinition)).rejects.toMatchObject({
      errorName: 'InvalidOntologyDefinition',
      parameters: {
        mistakes: [{ path: 'objectTypes[0].rid', reason: 'belongs to another object type' }],
      },
    })
  })
}
