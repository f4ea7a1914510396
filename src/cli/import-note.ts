/**
 * A note of how far an import has come, in the state folder of the user. It exists while an import
 * runs and after it has stopped, so that the same command continues. A command with other options or
 * changed files has another note.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ImportCursor } from '../transfer/import/import-cursor.ts'

export class ImportNote {
  readonly #path: string
  #saved = 0

  private constructor(path: string) {
    this.#path = path
  }

  /** Returns undefined if a file is not a regular one: a pipe cannot be read again. */
  static async of(
    files: readonly string[],
    /** Everything else that determines which objects are sent where. */
    request: Readonly<Record<string, unknown>>,
  ): Promise<ImportNote | undefined> {
    const states: unknown[] = []
    for (const file of files) {
      const stats = file === '-' ? undefined : await stat(file).catch(() => undefined)
      if (!stats?.isFile()) return undefined
      states.push([resolve(file), stats.size, stats.mtimeMs])
    }
    const text = JSON.stringify([states, Object.entries(request).toSorted()])
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
    return new ImportNote(join(stateFolder(), `${name}.json`))
  }

  async read(): Promise<ImportCursor | undefined> {
    try {
      const { objects, version, replacement } = JSON.parse(await readFile(this.#path, 'utf8'))
      const isCursor = Number.isSafeInteger(objects) && Number.isSafeInteger(version)
      if (!isCursor) return undefined
      return { objects, version, ...(typeof replacement === 'string' ? { replacement } : {}) }
    } catch {
      return undefined
    }
  }

  /** Saves progress. An import that cannot be noted starts again, which is slower but right. */
  async save(cursor: ImportCursor): Promise<void> {
    if (cursor.objects === this.#saved) return
    this.#saved = cursor.objects
    await this.#write(cursor).catch(() => {})
  }

  /** Saves where the import stopped; undefined if it must start again. */
  async end(cursor: ImportCursor | undefined): Promise<void> {
    if (cursor === undefined || cursor.objects === 0)
      await rm(this.#path, { force: true }).catch(() => {})
    else await this.#write(cursor).catch(() => {})
  }

  async #write(cursor: ImportCursor): Promise<void> {
    await mkdir(stateFolder(), { recursive: true })
    const part = `${this.#path}.${process.pid}`
    await writeFile(part, `${JSON.stringify(cursor)}\n`)
    await rename(part, this.#path)
  }
}

function stateFolder(): string {
  const base = process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state')
  return join(base, 'oqs', 'imports')
}
