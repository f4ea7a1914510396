/**
 * Writes a whole ontology as a tar archive: `definition.json`, `objects/TYPE.ndjson` for each object
 * type, and at the end `manifest.json` with the counts. An archive without it is incomplete.
 */
import { type FileHandle, stat } from 'node:fs/promises'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { TAR_BLOCK, TAR_END, tarHeader, tarPadding } from '../../formats/tar.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { writeAll, writeWholeFile } from '../export/export-file.ts'
import { type ExportProgress, exportObjects } from '../export/export-objects.ts'

export const DEFINITION_FILE = 'definition.json'
export const MANIFEST_FILE = 'manifest.json'

export interface Manifest {
  readonly format: 'oqs-archive'
  readonly formatVersion: 1
  readonly ontology: string
  readonly objectTypes: Readonly<Record<string, ArchivedType>>
}

interface ArchivedType {
  readonly count: number
  /** The version of the type that was exported. */
  readonly version: number
}

/** Returns the name of the file with the objects of a type. */
export function objectsFile(objectType: string): string {
  return `objects/${objectType}.ndjson`
}

export interface ArchiveOptions {
  readonly now: Date
  readonly onProgress: (objectType: string, progress: ExportProgress) => void
}

/** Exports an ontology to a file, one snapshot per object type. */
export async function writeArchive(
  client: Endpoints,
  ontology: string,
  output: string,
  options: ArchiveOptions,
): Promise<ExportProgress> {
  const target = await stat(output).catch(() => undefined)
  // The size of each file is written into its header afterwards.
  if (target !== undefined && !target.isFile()) {
    throw new Error(`cannot write ${output}: an archive needs a regular file`)
  }
  const definition = (await client.administration.getDefinition(ontology)) as OntologyDefinition
  return writeWholeFile(output, async (file, path) => {
    const archive = new ArchiveFile(file, path, options.now)
    await archive.addText(DEFINITION_FILE, definition)
    const objectTypes: Record<string, ArchivedType> = {}
    let objects = 0
    for (const { apiName } of definition.objectTypes) {
      const type = { ontology: definition.rid ?? ontology, objectType: apiName }
      let version = ''
      const entry = await archive.startEntry(objectsFile(apiName))
      const written = await exportObjects(
        client,
        { ...type, format: 'ndjson' },
        {
          begin: async (exported) => {
            version = exported
          },
          write: (bytes) => entry.write(bytes),
        },
        { onProgress: (progress) => options.onProgress(apiName, progress) },
      )
      await entry.end()
      objectTypes[apiName] = { count: written.objects, version: Number(version) }
      objects += written.objects
    }
    const manifest: Manifest = {
      format: 'oqs-archive',
      formatVersion: 1,
      ontology: definition.apiName,
      objectTypes,
    }
    await archive.addText(MANIFEST_FILE, manifest)
    return { objects, bytes: await archive.end() }
  })
}

class ArchiveFile {
  readonly #file: FileHandle
  readonly #path: string
  readonly #now: Date
  #at = 0

  constructor(file: FileHandle, path: string, now: Date) {
    this.#file = file
    this.#path = path
    this.#now = now
  }

  async addText(name: string, value: unknown): Promise<void> {
    const entry = await this.startEntry(name)
    await entry.write(new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`))
    await entry.end()
  }

  /** Starts a file; its size is written into the header at the end, when it is known. */
  async startEntry(name: string) {
    const start = this.#at
    const header = (size: number) => tarHeader(name, size, this.#now)
    await this.#append(header(0))
    let size = 0
    return {
      write: async (bytes: Uint8Array) => {
        await this.#append(bytes)
        size += bytes.length
      },
      end: async () => {
        await this.#append(tarPadding(size))
        const block = header(size)
        const at = start + block.length - TAR_BLOCK
        await writeAll(this.#file, block.subarray(-TAR_BLOCK), this.#path, at)
      },
    }
  }

  /** Returns the size of the archive. */
  async end(): Promise<number> {
    await this.#append(TAR_END)
    return this.#at
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await writeAll(this.#file, bytes, this.#path, this.#at)
    this.#at += bytes.length
  }
}
