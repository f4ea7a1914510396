/** Finds the object type of an import: an existing one, or one inferred from the rows. */

import { applyAndWait, type WaitOptions } from '../../client/endpoints/definition-change.ts'
import { type Note, RemediableError } from '../../formats/remedy.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { type ColumnOptions, checkColumnOptions } from '../columns/column-plan.ts'
import { withType } from '../infer/definition.ts'
import { type Inference, type Sample, SampleRefuted } from '../infer/sample.ts'
import { isEmptyType, type LoadEndpoints } from './bulk-load.ts'
import { readDefinition, removeType } from './change-definition.ts'
import { existingTypeOptions, isRowNumber } from './existing-type.ts'
import { widenType } from './widen-type.ts'

export interface ImportType {
  readonly objectType: ObjectType
  /** What was inferred from the rows, and how a type that existed was widened, one line each. */
  readonly notes: readonly Note[]
  /** How to read the rows. */
  readonly columns: ColumnOptions
  /** Whether the service has the type. */
  readonly exists: boolean
  /** Removes a type that was created for these rows; undefined if it was not. */
  readonly undo: (() => Promise<void>) | undefined
  /** What the load must prove, because only a sample of the rows was read. */
  readonly sampled?: (Sample & { readonly isOntologyNew: boolean }) | undefined
}

/** How an earlier run of the same import read the rows. */
export interface EarlierReading {
  readonly columns: ColumnOptions
  /** Of a type that the run created from a sample, and did not prove to the end. */
  readonly unproven?: { readonly isOntologyNew: boolean } | undefined
}

export interface ImportTypeRequest {
  readonly ontology: string
  readonly type: string
  /** The options that the user gave. */
  readonly columns: ColumnOptions
  /**
   * Infers the type from the data, or from a sample of it; undefined if the type must exist and stays
   * as it is.
   */
  readonly infer: ((isSample: boolean) => Promise<Inference>) | undefined
  /** Whether a load that a sample misled can be taken back, because nobody sees its objects yet. */
  readonly canSample: boolean
  /** Returns how an earlier run read the rows if this one continues it; then nothing is inferred. */
  readonly findReading?: (type: ObjectType) => Promise<EarlierReading | undefined>
  /** Whether an inferred type is not created. */
  readonly dryRun: boolean
  /** Whether all objects of the type are replaced. */
  readonly replacesAll: boolean
  /** How to wait until a type with many objects is widened. */
  readonly waiting?: WaitOptions
}

export async function findImportType(
  endpoints: LoadEndpoints,
  request: ImportTypeRequest,
): Promise<ImportType> {
  const { administration } = endpoints
  const { ontology, type } = request
  const definition = await readDefinition(administration, ontology)
  const existing = definition && parseDefinition(definition).objectTypes.get(type)
  if (existing !== undefined && definition !== undefined) {
    const earlier = request.infer && (await request.findReading?.(existing))
    return earlier === undefined
      ? widenExisting(endpoints, request, definition, existing)
      : continueReading(endpoints, request, existing, earlier)
  }
  if (request.infer === undefined) throw unknownType(request, definition)

  const { inferred, sampledRows } = await request.infer(request.canSample && !request.dryRun)
  const { columns, notes } = inferred
  const isOntologyNew = definition === undefined
  const sampled = sampledRows && { inferred, sampledRows, isOntologyNew }
  const shared = { notes, columns, sampled }
  const extended = withType(definition, ontology, inferred)
  const objectType = typeOf(withRids(extended), type)
  // Checked before the type is created, so that a mistake leaves nothing behind.
  try {
    checkColumnOptions(objectType, columns)
  } catch (error) {
    throw sampled === undefined ? error : new SampleRefuted((error as Error).message)
  }
  if (request.dryRun) return { ...shared, objectType, exists: false, undo: undefined }
  const applied = await administration.applyDefinition(ontology, extended)
  const created = typeOf(applied as OntologyDefinition, type)
  const path = { ontology, objectType: type }
  const undo = () => removeType(administration, path, isOntologyNew)
  return { ...shared, objectType: created, exists: true, undo }
}

/** Reads the rows as the earlier run did. What that has not proven, this run must prove. */
async function continueReading(
  { administration }: LoadEndpoints,
  { ontology, type, infer }: ImportTypeRequest,
  existing: ObjectType,
  { columns, unproven }: EarlierReading,
): Promise<ImportType> {
  const shared = { objectType: existing, exists: true, notes: [], columns }
  // The sample is the same, because the files are.
  const inference = unproven && (await infer?.(true))
  if (unproven === undefined || inference?.sampledRows === undefined) {
    return { ...shared, undo: undefined }
  }
  const { inferred, sampledRows } = inference
  const { isOntologyNew } = unproven
  const undo = () => removeType(administration, { ontology, objectType: type }, isOntologyNew)
  const sampled = { inferred, sampledRows, isOntologyNew }
  return { ...shared, undo, sampled }
}

/** Uses a type that exists; with `infer`, it is widened if it cannot hold the rows. */
async function widenExisting(
  endpoints: LoadEndpoints,
  { ontology, type, columns, infer, dryRun, replacesAll, waiting }: ImportTypeRequest,
  definition: OntologyDefinition,
  existing: ObjectType,
): Promise<ImportType> {
  const { administration } = endpoints
  const inferred = (await infer?.(false))?.inferred
  const stored = definition.objectTypes.find(({ apiName }) => apiName === type)
  if (inferred === undefined || stored === undefined) {
    return { objectType: existing, exists: true, undo: undefined, notes: [], columns }
  }
  const { definition: widened, changes } = widenType(stored, inferred)
  // Checked before the type is widened, so that a mistake leaves it as it is.
  const areNumbersFree =
    replacesAll ||
    (isRowNumber(stored) && (await isEmptyType(endpoints, { ontology, objectType: type })))
  const options = existingTypeOptions(widened, inferred, columns, { areNumbersFree })
  const notes = [...changes.map((text): Note => ({ text })), ...options.notes].map((note) => ({
    ...note,
    text: `${type}: ${note.text}`,
  }))
  const shared = { columns: options.columns, notes, undo: undefined }
  if (changes.length === 0) return { ...shared, objectType: existing, exists: true }
  const objectTypes = definition.objectTypes.map((one) => (one === stored ? widened : one))
  const changed = { ...definition, objectTypes }
  // A large type is widened in the background; its rows fit when that is done.
  if (!dryRun) await applyAndWait(administration, ontology, changed, waiting)
  return { ...shared, objectType: typeOf(changed, type), exists: !dryRun }
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
  return new RemediableError(reason, { remedy: { do: 'inferType' } })
}
