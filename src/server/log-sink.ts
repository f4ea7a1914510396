import { write, writeSync } from 'node:fs'

/**
 * Where log lines go. Writing never fails and never waits: a full disk, a reader that stalls or
 * one that is gone must neither stop the service nor keep it from ending.
 */
export class LogSink {
  readonly #fd: number
  #waiting = ''
  /** When the write that is under way was begun. */
  #writingSinceMs: number | undefined

  constructor(fd: number) {
    this.#fd = fd
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > MAX_WAITING) return
    this.#waiting += line
    if (this.#writingSinceMs === undefined) this.#writeNext()
  }

  /** Writes what waits, as the last thing before the process ends. */
  flush(): void {
    if (this.#writingSinceMs !== undefined) {
      // A reader that has stalled would hold this process, too.
      if (performance.now() - this.#writingSinceMs > STALLED_MS) return
      sleep(PAUSE_MS)
    }
    let bytes = Buffer.from(this.#takeWaiting())
    for (let attempt = 1; bytes.length > 0 && attempt <= LAST_ATTEMPTS; attempt += 1) {
      try {
        bytes = bytes.subarray(writeSync(this.#fd, bytes))
      } catch (error) {
        if (!isBusy(error)) return
        sleep(PAUSE_MS)
      }
    }
  }

  #takeWaiting(): string {
    const text = this.#waiting
    this.#waiting = ''
    return text
  }

  #writeNext(): void {
    const bytes = Buffer.from(this.#takeWaiting())
    if (bytes.length > 0) this.#write(bytes)
  }

  #write(bytes: Buffer): void {
    this.#writingSinceMs = performance.now()
    write(this.#fd, bytes, (error, written) => {
      if (isBusy(error)) {
        setTimeout(() => this.#write(bytes), PAUSE_MS).unref()
      } else if (error === null && written < bytes.length) {
        this.#write(bytes.subarray(written))
      } else {
        this.#writingSinceMs = undefined
        this.#writeNext()
      }
    })
  }
}

/** Characters that may wait for a slow reader; what comes on top of that is dropped. */
const MAX_WAITING = 4 * 1024 * 1024
const STALLED_MS = 200
const PAUSE_MS = 20
const LAST_ATTEMPTS = 20

function isBusy(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'EAGAIN'
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
