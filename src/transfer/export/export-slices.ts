/**
 * Exports one snapshot with several readers at the same time, each of which reads a slice. The output
 * is that of one reader: it is in key order. The first slice is written as it arrives; the others are
 * kept in temporary files until those before them are complete.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import {
  type ExportProgress,
  type ExportRequest,
  type ExportSink,
  exportObjects,
} from './export-objects.ts'

export interface SlicesOptions {
  /** The number of readers. */
  readonly parallel: number
  /** The path that those of temporary files start with; by default in the folder of the system. */
  readonly temporary?: string | undefined
  readonly onProgress?: (progress: ExportProgress) => void
}

export async function exportSlices(
  client: Endpoints,
  request: Omit<ExportRequest, 'slice' | 'where'>,
  sink: ExportSink,
  { parallel, temporary, onProgress = () => {} }: SlicesOptions,
): Promise<ExportProgress> {
  const { select } = request
  const slices = await client.objectSets.sliceObjects(request, { count: parallel, select })
  const folder = temporary === undefined ? await mkdtemp(join(tmpdir(), 'oqs-export-')) : undefined
  const prefix = folder === undefined ? `${temporary}.` : join(folder, 'slice.')
  // Each slice of CSV has a header line; that of the first is enough.
  const hasHeader = request.format === 'csv'
  const parts = slices.map(
    (_, index) => new SlicePart(sink, `${prefix}${index + 1}`, hasHeader && index > 0),
  )
  const progress = (): ExportProgress => ({
    objects: parts.reduce((sum, { objects }) => sum + objects, 0),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  })
  let failure: { readonly error: unknown } | undefined
  const readSlice = async (slice: string, part: SlicePart, index: number) => {
    const sliceSink = {
      begin: async (version: string) => {
        if (index === 0) await sink.begin(version)
      },
      write: async (bytes: Uint8Array) => {
        if (failure !== undefined) throw failure.error
        await part.write(bytes)
      },
    }
    await exportObjects(client, { ...request, slice }, sliceSink, {
      onProgress: ({ objects }) => {
        part.objects = objects
        onProgress(progress())
      },
    })
  }
  const fail = (error: unknown) => {
    failure ??= { error }
  }
  try {
    const reads = slices.map((slice, index) =>
      readSlice(slice, parts[index] as SlicePart, index).catch(fail),
    )
    for (const [index, part] of parts.entries()) {
      await part.release().catch(fail)
      await reads[index]
      if (failure !== undefined) break
    }
    await Promise.all(reads)
    if (failure !== undefined) throw failure.error
  } finally {
    await Promise.all(parts.map((part) => part.close()))
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
  return progress()
}

const COPIED_BYTES = 1024 * 1024
const NEWLINE = 0x0a

/** The bytes of a slice: kept in a file until it is the turn of the slice. */
class SlicePart {
  objects = 0
  bytes = 0
  #isInHeader: boolean
  readonly #sink: ExportSink
  readonly #path: string
  #file: FileHandle | undefined
  #isReleased = false
  #last: Promise<void> = Promise.resolve()

  constructor(sink: ExportSink, path: string, skipsHeader: boolean) {
    this.#sink = sink
    this.#path = path
    this.#isInHeader = skipsHeader
  }

  write(received: Uint8Array): Promise<void> {
    const bytes = this.#isInHeader ? this.#afterHeader(received) : received
    this.bytes += bytes.length
    return this.#afterLast(async () => {
      if (this.#isReleased) return this.#sink.write(bytes)
      this.#file ??= await openNameless(this.#path)
      await this.#file.appendFile(bytes)
    })
  }

  /** Copies what was kept to the sink, and passes on everything that follows. */
  release(): Promise<void> {
    return this.#afterLast(async () => {
      this.#isReleased = true
      const buffer = Buffer.allocUnsafe(COPIED_BYTES)
      for (let at = 0; this.#file !== undefined; ) {
        const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, at)
        if (bytesRead === 0) return
        await this.#sink.write(buffer.subarray(0, bytesRead))
        at += bytesRead
      }
    })
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {})
    await this.#file?.close()
  }

  /** Names of properties have no line feeds. */
  #afterHeader(bytes: Uint8Array): Uint8Array {
    const end = bytes.indexOf(NEWLINE)
    this.#isInHeader = end === -1
    return end === -1 ? bytes.subarray(0, 0) : bytes.subarray(end + 1)
  }

  /** Runs one after the other. */
  #afterLast(run: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(run)
    return this.#last
  }
}

/** Opens a file and removes its name, so that nothing of it is left behind, whatever happens. */
async function openNameless(path: string): Promise<FileHandle> {
  const file = await open(path, 'w+')
  await rm(path, { force: true })
  return file
}
