/** Finds the object type of an import: an existing one, or one inferred from the rows. */
import type { Administration } from '../../client/endpoints/administration.ts'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { withType } from '../infer/definition.ts'
import type { InferredType } from '../infer/infer-type.ts'
import { type ColumnOptions, checkColumnOptions } from './column-plan.ts'
import { readDefinition } from './read-definition.ts'

export interface ImportType {
  readonly objectType: ObjectType
  /** How to read the rows, if the type was inferred from them. */
  readonly columns: ColumnOptions | undefined
  /** Whether the service has the type. */
  readonly exists: boolean
  /** Removes a type that was created for these rows; undefined if it was not. */
  readonly undo: (() => Promise<void>) | undefined
}

export interface ImportTypeRequest {
  readonly ontology: string
  readonly type: string
  /** Infers the type from the data if it does not exist; undefined to fail instead. */
  readonly infer: (() => Promise<InferredType>) | undefined
  /** Whether an inferred type is not created. */
  readonly dryRun: boolean
}

export async function findImportType(
  { administration }: Endpoints,
  request: ImportTypeRequest,
): Promise<ImportType> {
  const { ontology, type } = request
  const definition = await readDefinition(administration, ontology)
  const existing = definition && parseDefinition(definition).objectTypes.get(type)
  if (existing !== undefined) {
    return { objectType: existing, columns: undefined, exists: true, undo: undefined }
  }
  if (request.infer === undefined) throw unknownType(request, definition)

  const inferred = await request.infer()
  const { columns } = inferred
  const extended = withType(definition, ontology, inferred)
  const objectType = typeOf(withRids(extended), type)
  // Checked before the type is created, so that a mistake leaves nothing behind.
  checkColumnOptions(objectType, columns)
  if (request.dryRun) return { objectType, columns, exists: false, undo: undefined }
  const applied = await administration.applyDefinition(ontology, extended)
  const created = typeOf(applied as OntologyDefinition, type)
  const undo = () => removeType(administration, request, definition === undefined)
  return { objectType: created, columns, exists: true, undo }
}

/** Removes a type, and its ontology if that is new; the service refuses if others wrote to it. */
async function removeType(
  administration: Administration,
  { ontology, type }: ImportTypeRequest,
  isOntologyNew: boolean,
): Promise<void> {
  const definition = await readDefinition(administration, ontology)
  if (definition === undefined) return
  const others = definition.objectTypes.filter(({ apiName }) => apiName !== type)
  await administration.applyDefinition(ontology, { ...definition, objectTypes: others })
  if (isOntologyNew && others.length === 0) await administration.deleteOntology(ontology)
}

function typeOf(definition: OntologyDefinition, name: string): ObjectType {
  const type = parseDefinition(definition).objectTypes.get(name)
  if (type === undefined) throw new Error(`the ontology has no object type ${name}`)
  return type
}

/** Adds placeholder RIDs, which the parser requires, to a definition that was never applied. */
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
  { ontology, type }: ImportTypeRequest,
  definition: OntologyDefinition | undefined,
): Error {
  const names = definition?.objectTypes.map(({ apiName }) => apiName) ?? []
  const reason =
    definition === undefined
      ? `there is no ontology ${ontology} that this token can see`
      : `${ontology} has no object type ${type}; its types are: ${names.join(', ') || 'none'}`
  return new Error(`${reason}. Use --infer to create it from the data.`)
}
