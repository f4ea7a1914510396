/** Finds or creates the object types that hold the tables. */
import {
  type DefinitionChange,
  isDefinitionChange,
  waitForChange,
} from '../../client/endpoints/definition-change.ts'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { changeDefinition, readDefinition } from '../import/change-definition.ts'
import { withType } from '../infer/definition.ts'
import type { InferredTables } from './infer-tables.ts'
import { mapTable, type TableMapping } from './table-mapping.ts'

/** Adds types, properties and links that are missing. Returns the definition as it is then. */
export function extendDefinition(
  endpoints: Endpoints,
  ontology: string,
  inferred: InferredTables,
  options: ChangeOptions,
): Promise<OntologyDefinition> {
  return changeTypes(endpoints, ontology, (one) => extended(one, ontology, inferred), options)
}

interface ChangeOptions {
  readonly signal: AbortSignal
  /** Called again and again while the service converts objects. */
  readonly onChanging: (change: DefinitionChange) => void
}

/** Changes the definition, and waits until it is converted. Returns it as it is then. */
export async function changeTypes(
  { administration }: Endpoints,
  ontology: string,
  change: (definition: OntologyDefinition | undefined) => OntologyDefinition,
  { signal, onChanging: onProgress }: ChangeOptions,
): Promise<OntologyDefinition> {
  const current = await readDefinition(administration, ontology)
  if (current !== undefined && change(current) === current) return current
  const answer = await changeDefinition(administration, ontology, change)
  if (!isDefinitionChange(answer)) return answer as OntologyDefinition
  await waitForChange(administration, answer, { signal, onProgress })
  return (await administration.getDefinition(ontology)) as OntologyDefinition
}

/** Returns the same definition if nothing is missing. */
export function extended(
  definition: OntologyDefinition | undefined,
  ontology: string,
  { tables, linkTypes }: InferredTables,
): OntologyDefinition {
  let result = definition
  for (const { definition: type } of tables) {
    result = withType(result, ontology, { definition: type })
    const stored = result.objectTypes.find(({ apiName }) => apiName === type.apiName)
    const missing = Object.keys(type.properties).filter(
      (name) => stored === undefined || !Object.hasOwn(stored.properties, name),
    )
    if (stored === undefined || missing.length === 0) continue
    const properties = { ...type.properties, ...stored.properties }
    const objectTypes = result.objectTypes.map((one) =>
      one === stored ? { ...stored, properties } : one,
    )
    result = { ...result, objectTypes }
  }
  const base = result ?? { apiName: ontology, objectTypes: [] }
  const present = base.linkTypes ?? []
  const added = linkTypes.filter(
    (link) =>
      !present.some(
        (one) =>
          one.from === link.from &&
          (one.apiName === link.apiName || one.foreignKey === link.foreignKey),
      ),
  )
  return added.length === 0 ? base : { ...base, linkTypes: [...present, ...added] }
}

/** Returns the type with this name. */
export function findType(
  definition: OntologyDefinition,
  name: string,
): ObjectTypeDefinition | undefined {
  return definition.objectTypes.find(({ apiName }) => apiName === name)
}

/** Maps all tables to types that exist. */
export function mapTables(
  definition: OntologyDefinition,
  { tables }: Pick<InferredTables, 'tables'>,
  onNote: (text: string) => void,
): readonly TableMapping[] {
  return tables.map((one) => {
    const { apiName } = one.definition
    const type = findType(definition, apiName)
    if (type !== undefined) return mapTable(one, type, onNote)
    throw new Error(
      `${definition.apiName} has no object type ${apiName} any more. Run the command with --restart to copy its table again.`,
    )
  })
}
