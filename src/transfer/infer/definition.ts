/** Inferred types as part of an ontology definition, and names derived from files. */
import { FAMILY_PATTERN, ONTOLOGY_NAME_PATTERN } from '../../ontology/definition/api-name.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { camelName, wordsOf } from '../columns/column-names.ts'
import type { InferredType } from './infer-type.ts'

/** Adds a type to a definition, or to a new one; an existing type of that name is unchanged. */
export function withType(
  definition: OntologyDefinition | undefined,
  ontologyApiName: string,
  { definition: type }: Pick<InferredType, 'definition'>,
): OntologyDefinition {
  if (definition === undefined) {
    // Search by type needs a family.
    const families = new RegExp(FAMILY_PATTERN).test(ontologyApiName) ? [ontologyApiName] : []
    return { apiName: ontologyApiName, families, objectTypes: [type] }
  }
  if (definition.objectTypes.some(({ apiName }) => apiName === type.apiName)) return definition
  return { ...definition, objectTypes: [...definition.objectTypes, type] }
}

/** Returns the definition of an ontology with one type, as indented JSON. */
export function writeDefinition(ontologyApiName: string, type: InferredType): string {
  return `${JSON.stringify(withType(undefined, ontologyApiName, type), null, 2)}\n`
}

const ENDINGS = /\.(?:csv|tsv|txt|json|jsonl|ndjson|geojson|parquet|gz|gzip|zst|zstd)$/i

/** Returns the name of a file without folders and format extensions. */
export function fileTitle(fileName: string): string {
  let title = fileName.split(/[\\/]/).at(-1) ?? ''
  while (ENDINGS.test(title)) title = title.replace(ENDINGS, '')
  return title
}

/** Derives the API name of a type from a file name: `flights-2k.json.gz` → `flights2k`. */
export function typeNameOf(fileName: string): string {
  const name = camelName(wordsOf(fileTitle(fileName)))
  return new RegExp(ONTOLOGY_NAME_PATTERN).test(name) ? name : 'object'
}
