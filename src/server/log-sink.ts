import { fstatSync, writeSync } from 'node:fs'

/**
 * Where log lines go: standard error. Writing never fails and never waits. A full disk, a reader
 * that stalls and one that is gone must neither stop the service nor keep it from ending.
 */
export interface LogSink {
  write(line: string): void
  /** Writes what waits: the last thing before the process ends. */
  flush(): void
}

const STANDARD_ERROR = 2
/** Characters that may wait for a slow reader; what comes on top of that is dropped. */
const MAX_WAITING = 4 * 1024 * 1024

/** Lines of one turn of the event loop are written together, whoever logs them. */
export function openLogSink(writeText: (text: string) => void = standardError()): LogSink {
  let waiting = ''
  const flush = () => {
    const text = waiting
    waiting = ''
    if (text !== '') writeText(text)
  }
  return {
    write(line) {
      if (waiting === '') setImmediate(flush)
      waiting += line
    },
    flush,
  }
}

function standardError(): (text: string) => void {
  // A file takes what it is given, or refuses it; it may take more when the disk has room again.
  if (isFile()) return writeToFile
  const { stderr } = process
  // From then on it takes nothing, and says so to nobody.
  stderr.on('error', () => {})
  return (text) => {
    // A pipe or a terminal takes what it can at once, and keeps the rest.
    if (stderr.writable && stderr.writableLength < MAX_WAITING) stderr.write(text)
  }
}

function isFile(): boolean {
  try {
    return fstatSync(STANDARD_ERROR).isFile()
  } catch {
    return false
  }
}

function writeToFile(text: string): void {
  try {
    let bytes = Buffer.from(text)
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(STANDARD_ERROR, bytes))
  } catch {
    // There is nowhere left to say it.
  }
}
