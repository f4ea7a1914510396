import { type FileHandle, open } from 'node:fs/promises'
import type { Refusal } from '../transfer/batch-sender.ts'

/** Keeps refused rows and why they were refused, a JSON object on each line. */
export class RejectsFile {
  readonly #handle: FileHandle | undefined
  /** Writes follow each other; the first failure is told when the file is closed. */
  #writing: Promise<unknown> = Promise.resolve()

  private constructor(handle: FileHandle | undefined) {
    this.#handle = handle
  }

  /** Without a path nothing is kept. */
  static async open(path: string | undefined): Promise<RejectsFile> {
    return new RejectsFile(path === undefined ? undefined : await open(path, 'w'))
  }

  add({ file, line, property, reason, excerpt, row }: Refusal): void {
    const handle = this.#handle
    if (handle === undefined) return
    const value = row === undefined ? excerpt : undefined
    const record = { file, line, property, reason, value, row: row && (JSON.parse(row) as unknown) }
    const text = `${JSON.stringify(record)}\n`
    this.#writing = this.#writing.then(() => handle.write(text))
    this.#writing.catch(() => {})
  }

  async close(): Promise<void> {
    try {
      await this.#writing
    } finally {
      await this.#handle?.close()
    }
  }
}
