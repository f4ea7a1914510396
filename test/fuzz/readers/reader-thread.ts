/** A thread that reads one file after the other, so that a reader that hangs can be stopped. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { parentPort, workerData } from 'node:worker_threads'
import { readNdjson } from '../../../src/formats/json/ndjson.ts'
import type { RowSource } from '../../../src/formats/row.ts'
import { openArchive } from '../../../src/transfer/archive/read-archive.ts'
import { objectsFile } from '../../../src/transfer/archive/write-archive.ts'
import { openInput } from '../../../src/transfer/input/open-input.ts'

export interface FileToRead {
  readonly name: string
  readonly bytes: Uint8Array
}

export type FileResult =
  | { readonly rows: number }
  | { readonly error: { readonly name: string; readonly message: string } }

/** A damaged file must not fill the disk. */
const MAX_TEMP_BYTES = 256 * 1024 * 1024

const { folder } = workerData as { readonly folder: string }

parentPort?.on('message', async ({ name, bytes }: FileToRead) => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  parentPort?.postMessage(await readFile(path))
})

async function readFile(path: string): Promise<FileResult> {
  try {
    return { rows: /\.tar\b/.test(path) ? await readArchive(path) : await readInput(path) }
  } catch (error) {
    const { name, message } = error as Error
    return { error: { name, message: message.replaceAll(folder, '') } }
  }
}

async function readInput(path: string): Promise<number> {
  const stdin = Readable.from([])
  const input = await openInput(path, { stdin, maxTempBytes: MAX_TEMP_BYTES })
  return countRows(input.source)
}

/** Reads an archive as `oqs ontology import` does. */
async function readArchive(path: string): Promise<number> {
  await using archive = await openArchive(path)
  let rows = 0
  for (const name of Object.keys(archive.manifest.objectTypes)) {
    rows += await countRows(readNdjson(archive.read(objectsFile(name))))
  }
  return rows
}

async function countRows({ rows }: RowSource): Promise<number> {
  let count = 0
  for await (const some of rows) count += some.length
  return count
}
