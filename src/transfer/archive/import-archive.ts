/** Writes the ontology of an archive to a service: its definition, then the objects of each type. */

import { applyAndWait, type DefinitionChange } from '../../client/endpoints/definition-change.ts'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { readNdjson } from '../../formats/json/ndjson.ts'
import { RemediableError } from '../../formats/remedy.ts'
import { FAMILY_PATTERN } from '../../ontology/definition/api-name.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import { rowReader } from '../columns/row-to-object.ts'
import { withoutRids } from '../definition/without-rids.ts'
import type { Rejection } from '../import/batch.ts'
import { readDefinition } from '../import/change-definition.ts'
import { importFiles } from '../import/import-files.ts'
import type { Archive } from './read-archive.ts'
import { objectsFile } from './write-archive.ts'

export interface ArchiveImport {
  /** The name of the ontology to write. */
  readonly ontology: string
  /** Whether an ontology that exists is changed and its objects are replaced. */
  readonly replace: boolean
  readonly signal: AbortSignal
  readonly onProgress: (objectType: string, objects: number) => void
  /** Called again and again while the service converts objects for the definition. */
  readonly onChanging: (change: DefinitionChange) => void
}

/** Returns the number of objects written. */
export async function importArchive(
  client: Endpoints,
  archive: Archive,
  { ontology, replace, signal, onProgress, onChanging }: ArchiveImport,
): Promise<number> {
  const { administration } = client
  const existing = await readDefinition(administration, ontology)
  if (existing !== undefined && !replace) {
    const remedy = { do: 'replaceOrCopyOntology' } as const
    throw new RemediableError(`the ontology ${ontology} exists`, { remedy })
  }
  const definition = definitionFor(archive.definition, ontology, existing)
  const applied = (await applyAndWait(administration, ontology, definition, {
    signal,
    onProgress: onChanging,
  })) as OntologyDefinition
  const { objectTypes } = parseDefinition(applied)
  let written = 0
  for (const [name, { count }] of Object.entries(archive.manifest.objectTypes)) {
    const type = objectTypes.get(name)
    if (type === undefined)
      throw new Error(`the definition of the archive has no object type ${name}`)
    const path = { ontology, objectType: name }
    if (count === 0) {
      if (existing !== undefined) await clearType(client, path)
      continue
    }
    const file = { name: objectsFile(name), source: readNdjson(archive.read(objectsFile(name))) }
    const { put } = await importFiles(client, {
      ...path,
      files: checkCount(file, count),
      readRow: rowReader(type),
      mode: 'replace',
      dryRun: false,
      maxErrors: 0,
      isFinite: true,
      signal,
      onRejected: refuseRow,
      onProgress: async (rows) => onProgress(name, rows),
      onIndexing: () => {},
    })
    written += put
  }
  return written
}

/**
 * A copy under another name gets RIDs of its own, and no family of the original. An ontology that
 * exists keeps its RIDs.
 */
function definitionFor(
  definition: OntologyDefinition,
  ontology: string,
  existing: OntologyDefinition | undefined,
): OntologyDefinition {
  if (definition.apiName === ontology || definition.rid === ontology) {
    const isForeign = existing !== undefined && existing.rid !== definition.rid
    return isForeign ? withoutRids(definition) : definition
  }
  const isFamily = new RegExp(FAMILY_PATTERN).test(ontology)
  const families = isFamily ? [ontology] : []
  return { ...withoutRids(definition), apiName: ontology, families }
}

type File =
  Parameters<typeof importFiles>[1]['files'] extends AsyncIterable<infer One> ? One : never

/** Fails before anything is published if the file has another number of objects than it should. */
async function* checkCount(file: File, count: number): AsyncGenerator<File> {
  let rows = 0
  async function* counted() {
    for await (const some of file.source.rows) {
      rows += some.length
      yield some
    }
    if (rows === count) return
    throw new Error(`${file.name} has ${rows} objects, but the manifest says ${count}`)
  }
  yield { ...file, source: { ...file.source, rows: counted() } }
}

function refuseRow({ file, line, property = '', reason }: Rejection): never {
  throw new Error(`${file}:${line}: ${property} ${reason}`)
}

async function clearType(
  { administration }: Endpoints,
  type: { readonly ontology: string; readonly objectType: string },
): Promise<void> {
  const replacement = await administration.startReplacement(type)
  await administration.publishReplacement(type, replacement)
}
