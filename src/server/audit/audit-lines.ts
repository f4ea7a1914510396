/**
 * Writes records of the audit log as JSON lines to a file or to standard output. The file is opened
 * again once another one has its name, so it can be rotated by renaming it. Several processes may
 * write to the same file: each appends whole lines.
 */
import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'
import type { AuditRecord } from '../../contract/audit-record.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Log } from '../log.ts'

/** The setting for standard output. */
const STANDARD_OUTPUT = '-'
/** Only the owner may read who did what. */
const FILE_MODE = 0o600

export class AuditLines implements Disposable {
  readonly #path: string
  readonly #onFailure: (error: unknown) => void
  #file: number | undefined
  #buffered = ''

  /** Throws if the file cannot be opened. */
  constructor(path: string, onFailure: (error: unknown) => void) {
    this.#path = path
    this.#onFailure = onFailure
    if (path !== STANDARD_OUTPUT) this.#file = open(path)
  }

  /** Writes a line, together with the others of this turn of the event loop. */
  write({ atMs, ...record }: AuditRecord): void {
    if (this.#buffered === '') setImmediate(() => this.flush())
    this.#buffered += `${JSON.stringify({ time: new Date(atMs).toISOString(), ...record })}\n`
  }

  flush(): void {
    const text = this.#buffered
    this.#buffered = ''
    if (text === '') return
    try {
      if (this.#path === STANDARD_OUTPUT) process.stdout.write(text)
      else this.#append(Buffer.from(text))
    } catch (error) {
      this.#onFailure(error)
    }
  }

  [Symbol.dispose](): void {
    this.flush()
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #append(bytes: Buffer): void {
    this.#file = this.#reopenIfRotated()
    for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(this.#file, rest))
  }

  #reopenIfRotated(): number {
    if (this.#file !== undefined) {
      const named = statSync(this.#path, { throwIfNoEntry: false })
      const own = fstatSync(this.#file)
      if (named?.ino === own.ino && named.dev === own.dev) return this.#file
      closeSync(this.#file)
      this.#file = undefined
    }
    return open(this.#path)
  }
}

function open(path: string): number {
  return openSync(path, 'a', FILE_MODE)
}

/** Opens the file of the audit log; undefined if there is none. Throws if it cannot be written. */
export function openAuditLines(
  { OQS_AUDIT, OQS_AUDIT_FILE: path }: Config,
  log: Log,
): AuditLines | undefined {
  if (OQS_AUDIT === 'off' || path === undefined) return undefined
  try {
    return new AuditLines(path, (error) => log({ event: 'auditFailed', error }))
  } catch (error) {
    const { message } = error as Error
    const advice = `Name a file that the service can write, or ${STANDARD_OUTPUT} for standard output.`
    throw new ConfigError(`OQS_AUDIT_FILE is ${JSON.stringify(path)}: ${message}. ${advice}`, {
      cause: error,
    })
  }
}
