import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Input, InputOptions } from '../transfer/input/open-input.ts'
import { type Progress, startProcessProgress } from './progress.ts'

/** The files that a command reads, one after the other. */

export interface InputWords {
  readonly format?: 'csv' | 'tsv' | 'ndjson' | 'json' | 'parquet'
  readonly delimiter?: string
  readonly maxTempBytes?: number
}

export function addInputOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'overrules what name and content tell').choices([
        'csv',
        'tsv',
        'ndjson',
        'json',
        'parquet',
      ]),
    )
    .option(
      '--delimiter <sign>',
      'between the columns of CSV, one character or tab; guessed when left out',
      parseDelimiter,
    )
    .option(
      '--max-temp-bytes <size>',
      'room for Parquet that is compressed or piped, as a temporary file, such as 500M; 16G when left out',
      parseSize,
    )
}

const UNITS = ['', 'K', 'M', 'G', 'T']

function parseSize(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,12})([KMGT]?)$/i.exec(text) ?? []
  const size = Number(digits) * 1024 ** UNITS.indexOf(unit.toUpperCase())
  if (size > 0 && Number.isSafeInteger(size)) return size
  throw new InvalidArgumentError('It must be a number of bytes, or one with K, M, G or T.')
}

function parseDelimiter(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t'
  if (!/^[^"\r\n\p{L}\p{N}]$/u.test(text) || text.length !== 1) {
    throw new InvalidArgumentError('It must be one character, no letter, digit or quote; or tab.')
  }
  return text
}

export interface InputProgress {
  update(objects: number): void
  end(): void
}

export class Inputs implements AsyncDisposable {
  readonly #paths: readonly string[]
  readonly #options: InputOptions
  readonly #signal: AbortSignal
  readonly #totalBytes: number | undefined
  readonly #cleanup: () => Promise<void>
  #doneBytes = 0
  #current: Input | undefined

  constructor(
    paths: readonly string[],
    options: InputOptions,
    signal: AbortSignal,
    totalBytes: number | undefined,
    cleanup: () => Promise<void>,
  ) {
    this.#paths = paths
    this.#options = options
    this.#signal = signal
    this.#totalBytes = totalBytes
    this.#cleanup = cleanup
  }

  /** Opens each file when its turn comes; after the last one they can be opened again. */
  async *open(): AsyncGenerator<Input> {
    const { openInput } = await import('../transfer/input/open-input.ts')
    this.#doneBytes = 0
    for (const path of this.#paths) {
      this.#signal.throwIfAborted()
      await using opened = new AsyncDisposableStack()
      const input = await openInput(path, this.#options)
      opened.defer(() => input.close())
      // Standard input may never end by itself.
      const close = () => void input.close()
      this.#signal.addEventListener('abort', close, { once: true })
      opened.defer(() => this.#signal.removeEventListener('abort', close))
      this.#current = input
      yield input
      this.#doneBytes += input.totalBytes ?? 0
      this.#current = undefined
    }
  }

  startProgress(label: string): InputProgress {
    const progress: Progress = startProcessProgress(label, { totalBytes: this.#totalBytes })
    return {
      update: (objects) => {
        const bytes = this.#doneBytes + (this.#current?.bytesRead() ?? 0)
        progress.update({ objects, bytes })
      },
      end: progress.end,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.close()
    await this.#cleanup()
  }
}

export async function openInputs(
  paths: readonly string[],
  { format, delimiter, maxTempBytes }: InputWords,
  signal: AbortSignal,
  /** Whether the files are read twice; standard input is then kept in a temporary file. */
  { twice }: { readonly twice: boolean },
): Promise<Inputs> {
  const [{ stat }, { keepStdin }] = await Promise.all([
    import('node:fs/promises'),
    import('../transfer/input/keep-stdin.ts'),
  ])
  await using cleanups = new AsyncDisposableStack()
  const kept = twice && paths.includes('-') ? await keepStdin(process.stdin, signal) : undefined
  if (kept !== undefined) cleanups.use(kept)
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const stats = await stat(path === '-' ? (kept?.path ?? '-') : path).catch(() => undefined)
      return stats?.isFile() ? stats.size : undefined
    }),
  )
  const totalBytes = sizes.reduce(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0 as number | undefined,
  )
  const options = {
    format,
    delimiter,
    maxTempBytes,
    stdin: process.stdin,
    stdinPath: kept?.path,
  }
  const running = cleanups.move()
  return new Inputs(paths, options, signal, totalBytes, () => running.disposeAsync())
}
