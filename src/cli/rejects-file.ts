import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Rejection } from '../transfer/import/batch-sender.ts'

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
