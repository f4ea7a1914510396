/** Which names a token that is limited to certain ontologies may use in a definition [5.2]. */
import { ObjectQueryError } from '../contract/errors.ts'
import type { Catalogue } from '../ontology/catalogue.ts'
import type { OntologyDefinition } from '../ontology/definition/definition-schema.ts'
import type { Caller } from './caller-rights.ts'

/**
 * Throws `ApiUsageDenied` if a token that is limited to certain ontologies uses another name in a
 * definition. Allowed are the names in the token's list and the current names of the ontology, if
 * it is visible. Names of hidden ontologies and unused names are rejected alike, and before any
 * other check, so that a response reveals nothing about hidden ontologies.
 *
 * Families and RIDs of object types are unique across ontologies, and no token lists them. A limited
 * token can keep those of its ontology; only an unlimited token can claim new ones.
 */
export function checkNames(
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

  check('ontology', identifier, names)
  check('apiName', definition.apiName, names)
  check('rid', definition.rid, names)
  definition.families?.forEach((family, index) => {
    check(`families[${index}]`, family, families)
  })
  definition.objectTypes.forEach(({ rid }, index) => {
    check(`objectTypes[${index}].rid`, rid, typeRids)
  })
}

function check(parameter: string, name: string | undefined, allowed: ReadonlySet<string>): void {
  if (name === undefined || allowed.has(name)) return
  const reason = 'the token is limited to other ontologies'
  throw new ObjectQueryError('ApiUsageDenied', { parameter, reason })
}
