import type { ServiceClient } from '../client/service-client.ts'
import { ServiceError } from '../client/service-error.ts'
import type { OntologyDefinition } from '../ontology/definition-schema.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { parseDefinition } from '../ontology/parse-definition.ts'
import type { ColumnOptions } from './column-plan.ts'
import { withType } from './infer/definition.ts'
import type { InferredType } from './infer/infer-type.ts'

/** The type that rows become objects of: one that exists, or one that is guessed from them. */

export interface ImportType {
  readonly objectType: ObjectType
  /** What else reading the rows needs, where the type was guessed from them. */
  readonly columns: ColumnOptions
  /** Whether the service has it too. */
  readonly exists: boolean
}

export interface WantedType {
  readonly ontology: string
  readonly type: string
  /** Guesses the type from the data, if that is wanted where there is none. */
  readonly infer: (() => Promise<InferredType>) | undefined
  /** Whether a guessed type is only looked at. */
  readonly dryRun: boolean
}

export async function findImportType(
  client: ServiceClient,
  wanted: WantedType,
): Promise<ImportType> {
  const definition = await readDefinition(client, wanted.ontology)
  const known = definition && parseDefinition(definition)
  const objectType = known?.objectTypes.get(wanted.type)
  if (objectType !== undefined) return { objectType, columns: {}, exists: true }
  if (wanted.infer === undefined) throw unknownType(wanted, definition)

  const inferred = await wanted.infer()
  const extended = withType(definition, wanted.ontology, inferred)
  const applied = wanted.dryRun
    ? withRids(extended)
    : ((await client.applyDefinition(wanted.ontology, extended)) as OntologyDefinition)
  const made = parseDefinition(applied).objectTypes.get(wanted.type)
  if (made === undefined) throw new Error(`the ontology has no object type ${wanted.type}`)
  return { objectType: made, columns: inferred.columns, exists: !wanted.dryRun }
}

async function readDefinition(
  client: ServiceClient,
  ontology: string,
): Promise<OntologyDefinition | undefined> {
  try {
    return (await client.readDefinition(ontology)) as OntologyDefinition
  } catch (error) {
    if (error instanceof ServiceError && error.errorName === 'OntologyNotFound') return undefined
    throw error
  }
}

/** A definition that no service has seen has no identifiers; to look at it, any will do. */
function withRids(definition: OntologyDefinition): OntologyDefinition {
  return {
    ...definition,
    rid: definition.rid ?? 'ri.ontology.main.ontology.none',
    objectTypes: definition.objectTypes.map((type, index) => ({
      ...type,
      rid: type.rid ?? `ri.ontology.main.object-type.${index}`,
    })),
  }
}

function unknownType(
  { ontology, type }: WantedType,
  definition: OntologyDefinition | undefined,
): Error {
  const names = definition?.objectTypes.map(({ apiName }) => apiName) ?? []
  const there =
    definition === undefined
      ? `there is no ontology ${ontology} that this token may see`
      : `${ontology} has no object type ${type}, but ${names.join(', ') || 'none at all'}`
  return new Error(`${there}; --infer makes it from the data`)
}
