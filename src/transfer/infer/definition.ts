import { FAMILY_PATTERN, ONTOLOGY_NAME_PATTERN } from '../../ontology/definition/api-name.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { camelName, wordsOf } from '../import/column-names.ts'
import type { InferredType } from './infer-type.ts'

/** Inferred types as parts of an ontology definition. */

/** An ontology with the type, alone or beside those it has; one of that name stays as it is. */
export function withType(
  definition: OntologyDefinition | undefined,
  ontologyApiName: string,
  { definition: type }: InferredType,
): OntologyDefinition {
  if (definition === undefined) {
    // Search by type finds an ontology by a family only.
    const families = new RegExp(FAMILY_PATTERN).test(ontologyApiName) ? [ontologyApiName] : []
    return { apiName: ontologyApiName, families, objectTypes: [type] }
  }
  if (definition.objectTypes.some(({ apiName }) => apiName === type.apiName)) return definition
  return { ...definition, objectTypes: [...definition.objectTypes, type] }
}

/** The definition of a whole ontology, as JSON for people to read and edit. */
export function writeDefinition(ontologyApiName: string, type: InferredType): string {
  return `${JSON.stringify(withType(undefined, ontologyApiName, type), null, 2)}\n`
}

const ENDINGS = /\.(?:csv|tsv|txt|json|jsonl|ndjson|geojson|parquet|gz|gzip|zst|zstd)$/i

/** A file's name without its folders and the endings that tell its format. */
export function fileTitle(fileName: string): string {
  let title = fileName.split(/[\\/]/).at(-1) ?? ''
  while (ENDINGS.test(title)) title = title.replace(ENDINGS, '')
  return title
}

/** The API name of the type of objects that a file holds: `flights-2k.json.gz` → `flights2k`. */
export function typeNameOf(fileName: string): string {
  const name = camelName(wordsOf(fileTitle(fileName)))
  return new RegExp(ONTOLOGY_NAME_PATTERN).test(name) ? name : 'object'
}
