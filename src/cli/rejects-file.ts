import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Rejection } from '../transfer/import/batch.ts'
import type { ImportType } from '../transfer/import/import-type.ts'
import { describeRejection } from './describe-import.ts'
import { printMessage } from './output.ts'
import { describeRemedy } from './remedies.ts'
import { adviceOn } from './value-advice.ts'

/** The file of rejected rows and the reasons, one JSON object per line. */
export class RejectsFile {
  readonly #path: string | undefined
  #handle: FileHandle | undefined
  #buffered: string[] = []

  /** Without a path nothing is written. The file is created with the first row. */
  constructor(path: string | undefined) {
    this.#path = path
  }

  add({ file, line, property, reason, excerpt, row }: Rejection): void {
    if (this.#path === undefined) return
    const value = row === undefined ? excerpt : undefined
    const record = JSON.stringify({ file, line, property, reason, value })
    // As text, because a parsed row would lose digits of long integers.
    this.#buffered.push(
      row === undefined ? `${record}\n` : `${record.slice(0, -1)},"row":${row}}\n`,
    )
  }

  /** Writes the buffered rows; call it often to bound the memory. */
  async flush(): Promise<void> {
    if (this.#path === undefined || this.#buffered.length === 0) return
    const text = this.#buffered.join('')
    this.#buffered = []
    try {
      this.#handle ??= await open(this.#path, 'w')
      await this.#handle.write(text)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const reason = REASONS[code ?? ''] ?? message
      throw new Error(`cannot write the rejected rows to ${this.#path}: ${reason}`, {
        cause: error,
      })
    }
  }

  async close(): Promise<void> {
    await this.flush()
    await this.#handle?.close()
  }
}

/** Rejected rows that are printed; further ones are only counted. */
const PRINTED_REJECTIONS = 20

/** Returns a function that prints rejected rows and adds them to the file of rejects. */
export function rejectionPrinter({ objectType }: ImportType, rejects: RejectsFile) {
  let rejected = 0
  return (rejection: Rejection): void => {
    rejects.add(rejection)
    rejected += 1
    const { property = '', column = property, excerpt: text, remedy } = rejection
    const { type } = objectType.properties.get(property) ?? {}
    const scalarType = type?.kind === 'scalar' ? type.type : undefined
    const advice = remedy ? describeRemedy(remedy) : adviceOn(scalarType, { column, text })
    if (rejected <= PRINTED_REJECTIONS) printMessage(describeRejection({ ...rejection, advice }))
    else if (rejected === PRINTED_REJECTIONS + 1) {
      printMessage('further rejected rows are only counted; list them all with --rejects FILE')
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  ENOENT: 'the folder does not exist',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
}

/** Throws if the file is one of the inputs. */
export async function checkNoInput(path: string, inputs: readonly string[]): Promise<void> {
  const target = await stat(path).catch(() => undefined)
  if (target === undefined) return
  for (const input of inputs) {
    const source = await stat(input).catch(() => undefined)
    if (source?.ino === target.ino && source.dev === target.dev) {
      throw new Error(
        `${path} is one of the files to import. Choose another file for the rejected rows.`,
      )
    }
  }
}
