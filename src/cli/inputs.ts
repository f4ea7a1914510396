/** The input files of a command, opened one after the other. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { encodingName } from '../transfer/input/encoding-name.ts'
import type { Input } from '../transfer/input/open-input.ts'
import { type ColumnArgs, readParquetColumns } from './column-options.ts'
import {
  type Progress,
  type ProgressState,
  startProcessProgress,
  startWaiting,
} from './progress.ts'

export interface InputArgs {
  readonly format?: 'csv' | 'tsv' | 'ndjson' | 'json' | 'parquet'
  readonly delimiter?: string
  readonly encoding?: string
  readonly flatten?: true
  readonly maxTempBytes?: number
}

export function addInputOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'file format (default: from file name and content)').choices([
        'csv',
        'tsv',
        'ndjson',
        'json',
        'parquet',
      ]),
    )
    .option(
      '--delimiter <sign>',
      'column delimiter of CSV: one character, or tab (default: detected)',
      parseDelimiter,
    )
    .option(
      '--encoding <name>',
      'encoding of text, such as windows-1252 or utf-16le (default: UTF-8, or UTF-16 if detected)',
      parseEncoding,
    )
    .option('--flatten', 'give the members of nested objects columns of their own, such as a.b')
    .option(
      '--max-temp-bytes <size>',
      'limit for the temporary copy of compressed or piped Parquet, such as 500M (default: 16G)',
      parseSize,
    )
}

function parseEncoding(text: string): string {
  const encoding = encodingName(text)
  if (encoding !== undefined) return encoding
  throw new InvalidArgumentError(
    'It must be the name of an encoding, such as utf-8, utf-16le, windows-1252 or shift_jis.',
  )
}

const UNITS = ['', 'K', 'M', 'G', 'T']

function parseSize(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,12})([KMGT]?)$/i.exec(text) ?? []
  const size = Number(digits) * 1024 ** UNITS.indexOf(unit.toUpperCase())
  if (size > 0 && Number.isSafeInteger(size)) return size
  throw new InvalidArgumentError('It must be a number of bytes, optionally with K, M, G or T.')
}

function parseDelimiter(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t'
  if (!/^[^"\r\n\p{L}\p{N}]$/u.test(text) || text.length !== 1) {
    throw new InvalidArgumentError(
      'It must be tab, or one character other than letter, digit, quote.',
    )
  }
  return text
}

export interface InputProgress {
  update(objects: number, writing?: Pick<ProgressState, 'written' | 'isLowerBound'>): void
  /** Shows how long a last step takes, whose end is not known. */
  wait(label: () => string): void
  end(): void
}

export type Inputs = Awaited<ReturnType<typeof openInputs>>

export async function openInputs(
  paths: readonly string[],
  args: InputArgs & ColumnArgs,
  signal: AbortSignal,
  /** Whether the files are read twice: standard input is then copied to a temporary file. */
  { twice }: { readonly twice: boolean },
) {
  const [{ stat }, { openInput }, { spoolStdin }] = await Promise.all([
    import('node:fs/promises'),
    import('../transfer/input/open-input.ts'),
    import('../transfer/input/input-file.ts'),
  ])
  await using cleanups = new AsyncDisposableStack()
  const kept = twice && paths.includes('-') ? await spoolStdin(process.stdin, signal) : undefined
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
  const { format, delimiter, encoding, maxTempBytes } = args
  const options = {
    ...readParquetColumns(args),
    format,
    delimiter,
    encoding,
    flatten: args.flatten,
    maxTempBytes,
    stdin: process.stdin,
    stdinPath: kept?.path,
  }
  let doneBytes = 0
  let current: Input | undefined

  async function* open(): AsyncGenerator<Input> {
    doneBytes = 0
    for (const path of paths) {
      signal.throwIfAborted()
      await using opened = new AsyncDisposableStack()
      const input = await openInput(path, options)
      opened.defer(() => input.close())
      // Reading standard input may never end without this.
      const close = () => void input.close()
      signal.addEventListener('abort', close, { once: true })
      opened.defer(() => signal.removeEventListener('abort', close))
      current = input
      yield input
      doneBytes += input.totalBytes ?? 0
      current = undefined
    }
  }

  function startProgress(label: string): InputProgress {
    const progress = startProcessProgress(label, { totalBytes })
    let waiting: Pick<Progress, 'end'> | undefined
    const end = () => {
      progress.end()
      waiting?.end()
    }
    return {
      update: (objects, writing = {}) => {
        const bytes = doneBytes + (current?.bytesRead() ?? 0)
        progress.update({ objects, bytes, ...writing })
      },
      wait: (step) => {
        end()
        waiting = startWaiting(() => `${label}: ${step()}`)
      },
      end,
    }
  }

  const running = cleanups.move()
  running.defer(async () => current?.close())
  return {
    /** Whether the inputs are files, which end by themselves; a pipe may stay open. */
    isFinite: totalBytes !== undefined,
    /** Opens the files one after the other; after the last one, they can be opened again. */
    open,
    startProgress,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
