import { randomUUID } from 'node:crypto'
import { findObjectType } from '../../src/ontology/catalogue.ts'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { DEFINITION, OBJECT_TYPE, ONTOLOGY } from './objects.ts'

export interface DefinedType {
  readonly objectType: ObjectType
  /** The generation of the catalogue that holds the type. */
  readonly generation: number
}

/** Gives a store the object type of all measurements. */
export async function defineType(store: ObjectStore): Promise<DefinedType> {
  const before = await store.readCatalogue()
  await store.saveOntology(planChange(ONTOLOGY, DEFINITION, before, randomUUID))
  const { generation, ontologies } = await store.readCatalogue()
  const [ontology] = ontologies
  if (ontology === undefined) throw new Error('the ontology was not saved')
  return { objectType: findObjectType(ontology, OBJECT_TYPE), generation }
}

/** Makes a file of the embedded store that has the type. */
export async function defineTypeInFile(path: string): Promise<ObjectType> {
  await using store = openSqliteStore(path)
  return (await defineType(store)).objectType
}
