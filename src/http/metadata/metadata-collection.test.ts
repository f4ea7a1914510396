import { expect, it } from 'vitest'
import type { Ontology } from '../../ontology/ontology.ts'
import { MetadataCollection, type Named } from './metadata-collection.ts'

const named = (apiName: string): Named => ({ apiName, rid: `ri.${apiName}` })

/** An ontology as callers with certain rights see it. */
function view(): Ontology {
  return {} as Ontology
}

it('keeps the lists of an owner apart by the ontology that a caller sees', () => {
  const [whole, part] = [view(), view()]
  const collection = new MetadataCollection<Named, Named>({
    items: (_, ontology) => (ontology === whole ? ['country', 'flights'] : ['country']).map(named),
    describer: () => (item) => item,
  })
  const owner = named('airport')
  const namesIn = (ontology: Ontology) =>
    collection.listOf(ontology, owner).items.map(({ apiName }) => apiName)
  expect(namesIn(whole)).toEqual(['country', 'flights'])
  expect(namesIn(part)).toEqual(['country'])
  expect(collection.listOf(whole, owner)).toBe(collection.listOf(whole, owner))
})
