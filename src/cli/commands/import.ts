import { type Command, InvalidArgumentError, Option } from 'commander'
import { ConnectionError } from '../../client/service-error.ts'
import type { Refusal } from '../../transfer/import/batch-sender.ts'
import {
  type ImportMode,
  type ImportResult,
  ImportStopped,
  importFiles,
  TooManyRefused,
} from '../../transfer/import/import-files.ts'
import { addColumnOptions, type ColumnWords, readColumnOptions } from '../column-options.ts'
import { addExamples } from '../examples.ts'
import { inferFromFiles, tellNotes } from '../infer-type.ts'
import { addInputOptions, type InputWords, openInputs } from '../inputs.ts'
import { Interrupted, untilInterrupted } from '../interrupt.ts'
import { tell } from '../output.ts'
import { countOf, formatCount, formatDuration } from '../progress.ts'
import { RejectsFile, refuseOverwriting } from '../rejects-file.ts'
import {
  addServiceOptions,
  openClient,
  parseText,
  type ServiceOptions,
} from '../service-options.ts'

interface ImportOptions extends ServiceOptions, InputWords, ColumnWords {
  readonly ontology: string
  readonly type?: string
  readonly replace?: true
  readonly append?: true
  readonly infer?: true
  readonly dryRun?: true
  readonly maxErrors: number
  readonly rejects?: string
}

export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .description(
      'Write the rows of files as objects of a type: CSV, NDJSON, JSON or Parquet, also compressed.',
    )
    .argument('<files...>', 'files to read, one after the other; - reads standard input')
    .requiredOption('--ontology <name>', 'API name or RID of the ontology', parseText)
    .option(
      '--type <name>',
      'API name of the object type; with --infer, else from the file',
      parseText,
    )
    .addOption(
      new Option('--replace', 'replace all objects of the type, at once').conflicts('append'),
    )
    .option('--append', 'add new objects only; those that exist stay as they are')
    .option('--infer', 'make the type from the data if there is none')
    .option('--dry-run', 'read and check everything, write nothing')
    .option('--max-errors <n>', 'rows that may be refused before it all ends', parseMaxErrors, 0)
    .option('--rejects <file>', 'write refused rows and reasons to this file, as NDJSON', parseText)
  addInputOptions(command)
  addColumnOptions(command)
  addServiceOptions(command)
  addExamples(
    command,
    'oqs import airports.csv --ontology aviation --type airport',
    'oqs import airports.csv --ontology travel --infer',
    'oqs import airports.csv --ontology aviation --type airport --replace --max-errors 10 --rejects rejects.ndjson',
    'gzip -c airports.csv | oqs import - --ontology aviation --type airport --append --dry-run',
  ).action((files: readonly string[], options: ImportOptions) => {
    if (options.type === undefined && options.infer === undefined) {
      command.error("error: required option '--type <name>' not specified", { exitCode: 2 })
    }
    if (files.filter((file) => file === '-').length > 1) {
      command.error('error: standard input can be read only once', { exitCode: 2 })
    }
    return untilInterrupted((signal) => importAll(files, options, signal))
  })
}

const REFUSALS_TOLD = 20

async function importAll(
  files: readonly string[],
  options: ImportOptions,
  signal: AbortSignal,
): Promise<void> {
  const [{ findImportType }, { rowReader }, { typeNameOf }] = await Promise.all([
    import('../../transfer/import/import-type.ts'),
    import('../../transfer/import/row-to-object.ts'),
    import('../../transfer/infer/definition.ts'),
  ])
  const startedAt = performance.now()
  // What is under way when Ctrl-C comes is still waited for: only then is it known what was written.
  const client = await openClient(options, signal, { finishes: true })
  const { ontology, type = typeNameOf(files[0] ?? ''), dryRun = false } = options
  if (options.rejects !== undefined) await refuseOverwriting(options.rejects, files)
  const mode: ImportMode = options.replace ? 'replace' : options.append ? 'append' : 'upsert'
  await using inputs = await openInputs(files, options, signal, { twice: options.infer === true })
  const wishes = readColumnOptions(options)
  const infer = async () => {
    const inferred = await inferFromFiles(inputs, { apiName: type, columns: wishes, signal })
    tellNotes(inferred)
    return inferred
  }
  const found = await findImportType(client, {
    ontology,
    type,
    dryRun,
    infer: options.infer && infer,
  })
  if (found.isNew) tell(`made the object type ${type} of ${ontology}`)
  // Rows that were numbered when their type was guessed are numbered again.
  const columns = found.columns ?? { ...wishes, numbersRows: options.infer === true }
  const rejects = new RejectsFile(options.rejects)
  let told = 0
  const onRefused = (refusal: Refusal) => {
    rejects.add(refusal)
    told += 1
    if (told <= REFUSALS_TOLD) tell(describeRefusal(refusal))
    else if (told === REFUSALS_TOLD + 1) tell('… further rows that do not fit are only counted')
  }
  const progress = inputs.startProgress(`importing ${type}`)
  try {
    const result = await importFiles(client, {
      ontology,
      objectType: type,
      files: inputs.open(),
      readRow: rowReader(found.objectType, columns),
      mode,
      dryRun,
      checkedAs: found.exists ? undefined : found.objectType,
      maxErrors: options.maxErrors,
      signal,
      onRefused,
      onProgress: async (rows) => {
        progress.update(rows)
        await rejects.flush()
      },
    })
    progress.end()
    await rejects.flush()
    const target = `${ontology}/${type}`
    tell(describeResult(result, target, dryRun, performance.now() - startedAt))
  } catch (error) {
    progress.end()
    if (!(error instanceof ImportStopped)) throw error
    const message = `${error.message}; ${describeStop(error, mode, dryRun)}`
    throw signal.aborted
      ? new Interrupted(message, { cause: error })
      : new Error(message, { cause: error })
  } finally {
    progress.end()
    await rejects.close()
  }
}

function describeRefusal({ file, line, property, excerpt, reason }: Refusal): string {
  const value = excerpt === '' ? '' : ` ${JSON.stringify(excerpt)}`
  return `${file}:${line}: ${property === undefined ? '' : `${property}${value} `}${reason}`
}

function describeResult(
  result: ImportResult,
  target: string,
  dryRun: boolean,
  elapsedMs: number,
): string {
  const { put, kept, refused, replaced, version, objects, batches } = result
  const parts = [
    dryRun
      ? `${countOf(objects, 'object')} would be written to ${target}`
      : `${countOf(put, 'object')} written to ${target}`,
  ]
  if (replaced !== undefined) parts.push(`in place of ${formatCount(replaced)}`)
  if (kept > 0) parts.push(`${formatCount(kept)} existed and were kept`)
  if (refused > 0) parts.push(`${countOf(refused, 'row')} refused`)
  if (!dryRun && batches > 0) parts.push(`version ${version}`)
  return `${parts.join(', ')}, in ${formatDuration(elapsedMs)}`
}

function describeStop({ result, cause }: ImportStopped, mode: ImportMode, dryRun: boolean): string {
  const { objects, isUncertain } = result
  if (isUncertain) return 'whether the objects were replaced is not known'
  if (mode === 'replace' && !dryRun) return 'nothing was replaced'
  if (dryRun) return 'nothing was written'
  if (cause instanceof ConnectionError && cause.isLost) {
    return `at least ${countOf(objects, 'object')} written: the same command again completes it`
  }
  if (objects === 0) return 'nothing was written'
  const written = `${countOf(objects, 'object')} written before that`
  return cause instanceof TooManyRefused
    ? `${written}: mend the row, then the same command completes it`
    : `${written}: the same command again completes it`
}

function parseMaxErrors(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
