import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Refusal } from '../transfer/import/batch-sender.ts'

/** Keeps refused rows and why they were refused, a JSON object on each line. */
export class RejectsFile {
  readonly #path: string | undefined
  #handle: FileHandle | undefined
  #waiting: string[] = []

  /** Without a path nothing is kept. The file is made with the first row. */
  constructor(path: string | undefined) {
    this.#path = path
  }

  add({ file, line, property, reason, excerpt, row }: Refusal): void {
    if (this.#path === undefined) return
    const value = row === undefined ? excerpt : undefined
    const record = { file, line, property, reason, value, row: row && (JSON.parse(row) as unknown) }
    this.#waiting.push(`${JSON.stringify(record)}\n`)
  }

  /** Writes what was added; to be called often, so that little is held. */
  async flush(): Promise<void> {
    if (this.#path === undefined || this.#waiting.length === 0) return
    const text = this.#waiting.join('')
    this.#waiting = []
    try {
      this.#handle ??= await open(this.#path, 'w')
      await this.#handle.write(text)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      throw new Error(`${this.#path}: ${REASONS[code ?? ''] ?? message}`, { cause: error })
    }
  }

  async close(): Promise<void> {
    await this.flush()
    await this.#handle?.close()
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  ENOENT: 'there is no such folder',
  EISDIR: 'is a directory',
  EACCES: 'there is no permission to write it',
}

/** Refuses to write over what is being read. */
export async function refuseOverwriting(path: string, inputs: readonly string[]): Promise<void> {
  const target = await stat(path).catch(() => undefined)
  if (target === undefined) return
  for (const input of inputs) {
    const source = await stat(input).catch(() => undefined)
    if (source?.ino === target.ino && source.dev === target.dev) {
      throw new Error(`${path} is one of the files to import: name another one for the rejects`)
    }
  }
}
