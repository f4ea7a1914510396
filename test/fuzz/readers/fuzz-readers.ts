/** Reads changed copies of real files. Each must give rows or a clear error, and end. */
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { tempFolder } from '../../support/temp-folder.ts'
import { Random } from '../random.ts'
import { mutateFile } from './mutate-file.ts'
import type { FileResult, FileToRead } from './reader-thread.ts'

/** Only ends what hangs: on a busy machine a file takes many times as long. */
const HANGS_AFTER_MS = 60_000
const HEAP_MEGABYTES = 512
/** The growth of the process that one file may cause, buffers outside the heap included. */
const GROWTH_MAX_BYTES = 1024 ** 3
const WATCHED_EVERY_MS = 50

const THREAD = new URL('./reader-thread.ts', import.meta.url)
const FOLDERS = ['../corpus/readers/', '../../support/parquet/']

/** The real files that are changed. */
export function realFiles(): readonly FileToRead[] {
  return FOLDERS.flatMap((folder) => {
    const path = fileURLToPath(new URL(folder, import.meta.url))
    return globSync(`${path}*.{parquet,gz,zst,tar}`).toSorted().map(readNamed)
  })
}

/** Kept files: one for each kind of damage, and those that a reader once handled badly. */
export function damagedFiles(): readonly FileToRead[] {
  const path = fileURLToPath(new URL('../corpus/readers/damaged/', import.meta.url))
  return globSync(`${path}*`).toSorted().map(readNamed)
}

function readNamed(path: string): FileToRead {
  return { name: basename(path), bytes: readFileSync(path) }
}

/** Returns the changed file of a seed. */
export function fileOfSeed(seed: number, files: readonly FileToRead[]): FileToRead {
  const random = new Random(seed)
  const { name, bytes } = random.pick(files)
  return { name, bytes: mutateFile(name, bytes, random) }
}

export interface ReaderReport {
  readonly result: FileResult | undefined
  /** Undefined if the file was read, or refused with a clear error. */
  readonly mistake: string | undefined
}

/** Reads files in a thread with limited memory, one after the other. */
export class ReaderFuzzer implements AsyncDisposable {
  readonly #folder = tempFolder()
  #thread: Worker | undefined

  async read(file: FileToRead): Promise<ReaderReport> {
    this.#thread ??= new Worker(THREAD, {
      workerData: { folder: this.#folder.path },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    })
    const outcome = await this.#outcomeOf(this.#thread, file)
    if (typeof outcome === 'string') {
      await this.#thread.terminate()
      this.#thread = undefined
      return { result: undefined, mistake: outcome }
    }
    return { result: outcome, mistake: mistakeOf(file.name, outcome) }
  }

  async #outcomeOf(thread: Worker, file: FileToRead): Promise<FileResult | string> {
    const stop = new AbortController()
    const { promise, resolve } = Promise.withResolvers<string>()
    const before = process.memoryUsage.rss()
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() - before > GROWTH_MAX_BYTES) resolve('it needs too much memory')
    }, WATCHED_EVERY_MS)
    const timer = setTimeout(() => resolve('it does not end'), HANGS_AFTER_MS)
    try {
      const answer = once(thread, 'message', { signal: stop.signal }) as Promise<[FileResult]>
      thread.postMessage(file)
      return await Promise.race([answer.then(([result]) => result), promise])
    } catch (error) {
      return `the reader crashed: ${(error as Error).message}`
    } finally {
      stop.abort()
      clearInterval(watch)
      clearTimeout(timer)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.terminate()
    this.#folder[Symbol.dispose]()
  }
}

/** Messages of JavaScript and its libraries, which say nothing about the file. */
const INTERNAL_MESSAGE =
  /\bundefined\b|\bnull\b|is not a function|is not iterable|is not a constructor|Cannot (?:read|convert|destructure|mix)|Invalid (?:array|typed|count)|out of bounds|outside the bounds|call stack|BigInt|must be of type|ERR_|allocation/

function mistakeOf(name: string, result: FileResult): string | undefined {
  if ('rows' in result) return undefined
  const { name: kind, message } = result.error
  if (kind !== 'UnreadableFile') return `it throws ${kind}: ${message}`
  if (!message.startsWith(`/${name}: `)) return `the error does not name the file: ${message}`
  if (message.includes('\n')) return `the error has several lines: ${message}`
  return INTERNAL_MESSAGE.test(message) ? `the error is not clear: ${message}` : undefined
}
