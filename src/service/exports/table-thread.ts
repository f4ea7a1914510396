/**
 * The entry point of the thread that writes exports as files with a table, so that the main thread only
 * reads the objects.
 */
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../../admission/background-priority.ts'
import { openArrow } from '../../formats/arrow/write-arrow.ts'
import { openParquet } from '../../formats/parquet/write-parquet.ts'
import type { FileInPieces, TableFile } from '../../formats/table-file.ts'
import { concatBytes } from '../../formats/utf8.ts'
import { openXlsx } from '../../formats/xlsx/write-xlsx.ts'
import { sentError } from '../thread-errors.ts'
import { checkRecords } from './check-records.ts'
import type { OpenedTable, TableMessage, TableReply, WriteMessage } from './table-files.ts'

interface WrittenFile {
  readonly file: TableFile & Partial<FileInPieces>
  /** What the file has written since the last reply. */
  readonly pieces: Uint8Array<ArrayBuffer>[]
}

/** The files that are being written. */
class OpenFiles {
  readonly #files = new Map<number, WrittenFile>()
  /** Files wait for others while they compress. */
  #last = Promise.resolve()

  receive(message: TableMessage): void {
    this.#last = this.#last.then(() => this.#answer(message))
  }

  async #answer(message: TableMessage): Promise<void> {
    if ('closed' in message) {
      this.#files.delete(message.closed)
      return
    }
    try {
      const bytes = await this.#write(message)
      reply({ bytes }, bytes.buffer)
    } catch (error) {
      reply(sentError(error))
    }
  }

  /** Returns the bytes of a file that are complete with a message. */
  async #write({ id, opened, chunk }: WriteMessage) {
    const written = opened === undefined ? this.#files.get(id) : openFile(opened)
    if (written === undefined) throw new Error(`no file with the number ${id}`)
    this.#files.set(id, written)
    const { file, pieces } = written
    if (chunk === undefined) await file.finish()
    else {
      const { records, check } = chunk
      await file.add(checkRecords(records, check, Buffer.from(records.buffer)))
      // If it were left to the garbage collector, it would run after every few chunks.
      records.buffer.transfer(0)
      await file.endPiece?.()
    }
    const [piece = new Uint8Array(), ...more] = pieces.splice(0)
    return more.length === 0 ? piece : concatBytes([piece, ...more])
  }
}

lowerThreadPriority()
serve(new OpenFiles())

function serve(files: OpenFiles): void {
  parentPort?.on('message', (message: TableMessage) => files.receive(message))
}

function reply(message: TableReply, ...transfer: readonly ArrayBuffer[]): void {
  parentPort?.postMessage(message, transfer)
}

function openFile({ format, table, isBegun }: OpenedTable): WrittenFile {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  // Copied: a file may use its buffer again.
  const write = (bytes: Uint8Array) => void pieces.push(new Uint8Array(bytes))
  if (format === 'arrow') return { file: openArrow(table, write, { isBegun }), pieces }
  return { file: format === 'parquet' ? openParquet(table, write) : openXlsx(table, write), pieces }
}
