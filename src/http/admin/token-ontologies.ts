import { ObjectQueryError } from '../../contract/errors.ts'
import type { Catalogue } from '../../ontology/catalogue.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import type { Caller } from '../request/caller.ts'

/**
 * Refuses a definition in which a token that is limited to ontologies uses a name that is not its
 * own. Own names are those in the list of the token, and those that an ontology it may see has
 * already. Names of hidden ontologies and names that nobody has are refused in the same way: what
 * the token may use never depends on what is hidden from it. Called before anything else is said
 * about the definition.
 *
 * Families and RIDs of object types are names that all ontologies share, and no list holds them. A
 * limited token can keep those of its ontology, but only an unlimited one can claim others.
 */
export function refuseForeignNames(
  { ontologies: list, maySee }: Caller,
  identifier: string,
  definition: OntologyDefinition,
  catalogue: Catalogue,
): void {
  if (list === undefined) return
  const named = catalogue.find(identifier)
  const own = named !== undefined && maySee(named) ? named : undefined
  const names = new Set([...list, ...(own === undefined ? [] : [own.rid, own.apiName])])
  const families = new Set(own?.families)
  const typeRids = new Set([...(own?.objectTypes.values() ?? [])].map(({ rid }) => rid))

  refuse('ontology', identifier, names)
  refuse('apiName', definition.apiName, names)
  refuse('rid', definition.rid, names)
  definition.families?.forEach((family, index) => {
    refuse(`families[${index}]`, family, families)
  })
  definition.objectTypes.forEach(({ rid }, index) => {
    refuse(`objectTypes[${index}].rid`, rid, typeRids)
  })
}

function refuse(parameter: string, name: string | undefined, own: ReadonlySet<string>): void {
  if (name === undefined || own.has(name)) return
  const reason = 'this token is for other ontologies'
  throw new ObjectQueryError('ApiUsageDenied', { parameter, reason })
}
