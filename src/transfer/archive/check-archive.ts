/** Checks the texts of an archive as far as this program relies on them; the service checks the rest. */
import { UnreadableFile } from '../../formats/row.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { DEFINITION_FILE, MANIFEST_FILE, type Manifest } from './write-archive.ts'

export function checkDefinition(value: unknown): OntologyDefinition {
  if (isDefinition(value)) return value
  throw new UnreadableFile(`${DEFINITION_FILE} is not the definition of an ontology`)
}

function isDefinition(value: unknown): value is OntologyDefinition {
  if (!isObject(value) || typeof value['apiName'] !== 'string') return false
  const types = value['objectTypes']
  return Array.isArray(types) && types.every(isObject)
}

export function checkManifest(manifest: unknown): Manifest {
  const value = manifest
  if (!isObject(value) || value['format'] !== 'oqs-archive') {
    throw new UnreadableFile(`${MANIFEST_FILE} is not the manifest of an archive`)
  }
  if (value['formatVersion'] !== 1) throw new UnreadableFile('was written by a newer version')
  const types = value['objectTypes']
  if (!isObject(types)) throw new UnreadableFile(`${MANIFEST_FILE} lists no object types`)
  for (const [name, type] of Object.entries(types)) {
    const count = isObject(type) ? type['count'] : undefined
    if (!Number.isSafeInteger(count) || Number(count) < 0) {
      throw new UnreadableFile(`${MANIFEST_FILE} has no valid number of objects for ${name}`)
    }
  }
  return manifest as Manifest
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
