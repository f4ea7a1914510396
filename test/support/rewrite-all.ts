import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import type { PropertyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import type { ObjectStore, RewriteProgress } from '../../src/store/object-store.ts'
import { thingsDefinition } from './store-fixture.ts'

/** Runs background steps until nothing is left to do now, and returns the phases, each once. */
export async function rewriteAll(
  store: ObjectStore,
  between: (step: RewriteProgress) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const phases: string[] = []
  for (;;) {
    const step = await store.rewriteNext()
    if (step === undefined) return phases
    if (phases.at(-1) !== step.phase) phases.push(step.phase)
    await between(step)
  }
}

/** Texts that become lists with one text each. */
const TEXT_LISTS = { text: { type: 'array', items: { type: 'string' } } } as const

/**
 * Starts to convert the objects of `thingsDefinition` in the background: they get these properties
 * beside the key. The store must do so with any number of objects.
 */
export async function startConversion(
  store: ObjectStore,
  properties: Readonly<Record<string, PropertyDefinition>> = TEXT_LISTS,
  apiName = 'things',
): Promise<void> {
  const definition = thingsDefinition(apiName)
  const objectTypes = definition.objectTypes.map(({ titleProperty: _, ...type }) => ({
    ...type,
    properties: { k: { type: 'string' as const }, ...properties },
  }))
  const catalogue = await store.readCatalogue()
  const change = planChange(apiName, { ...definition, objectTypes }, catalogue, randomUUID)
  expect(await store.saveOntology(change)).toBe('started')
}
