import type { ServiceClient } from '../../client/service-client.ts'
import { ServiceError } from '../../client/service-error.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { withType } from '../infer/definition.ts'
import type { InferredType } from '../infer/infer-type.ts'
import { type ColumnOptions, checkColumnOptions } from './column-plan.ts'

/** The type that rows become objects of: one that exists, or one that is guessed from them. */

export interface ImportType {
  readonly objectType: ObjectType
  /** What reading the rows needs, where the type was guessed from them. */
  readonly columns: ColumnOptions | undefined
  /** Whether the service has it too. */
  readonly exists: boolean
  /** Whether it was made for these rows. */
  readonly isNew: boolean
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
  if (objectType !== undefined)
    return { objectType, columns: undefined, exists: true, isNew: false }
  if (wanted.infer === undefined) throw unknownType(wanted, definition)

  const inferred = await wanted.infer()
  const { columns } = inferred
  const extended = withType(definition, wanted.ontology, inferred)
  // Looked at before it is made: a type that cannot be read into would be left behind.
  checkColumnOptions(typeOf(withRids(extended), wanted.type), columns)
  if (wanted.dryRun) {
    const objectType = typeOf(withRids(extended), wanted.type)
    return { objectType, columns, exists: false, isNew: false }
  }
  const applied = await client.applyDefinition(wanted.ontology, extended)
  const made = typeOf(applied as OntologyDefinition, wanted.type)
  return { objectType: made, columns, exists: true, isNew: true }
}

function typeOf(definition: OntologyDefinition, name: string): ObjectType {
  const type = parseDefinition(definition).objectTypes.get(name)
  if (type === undefined) throw new Error(`the ontology has no object type ${name}`)
  return type
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
