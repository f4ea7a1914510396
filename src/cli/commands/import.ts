import { type Command, InvalidArgumentError, Option } from 'commander'
import { isRetryable } from '../../client/retry.ts'
import { countOf, formatCount } from '../../contract/count-of.ts'
import type { Rejection } from '../../transfer/import/batch-sender.ts'
import { type ImportMode, ImportStopped, importFiles } from '../../transfer/import/import-files.ts'
import type { DuplicatePolicy } from '../../transfer/import/repeated-keys.ts'
import { addColumnOptions, type ColumnArgs, readColumnOptions } from '../column-options.ts'
import {
  describeContinuation,
  describeRejection,
  describeRepeatedKeys,
  describeResult,
  describeStop,
} from '../describe-import.ts'
import { hintFor } from '../hints.ts'
import { noteFinder } from '../import-note.ts'
import { inferFromFiles, printNotes } from '../infer-type.ts'
import { addInputOptions, type InputArgs, openInputs } from '../inputs.ts'
import { Interrupted, untilInterrupted } from '../interrupt.ts'
import { printMessage } from '../output.ts'
import { checkNoInput, RejectsFile } from '../rejects-file.ts'
import { describeOption, describeRemedy } from '../remedies.ts'
import {
  addExamples,
  addServiceOptions,
  openClient,
  parseText,
  type ServiceOptions,
} from '../service-options.ts'
import { adviceOn } from '../value-advice.ts'

interface ImportCommandOptions extends ServiceOptions, InputArgs, ColumnArgs {
  readonly ontology: string
  readonly type?: string
  readonly replace?: true
  readonly append?: true
  readonly merge?: true
  readonly replaceValues?: true
  readonly infer?: true
  readonly restart?: true
  readonly dryRun?: true
  readonly onDuplicate?: DuplicatePolicy
  readonly maxErrors: number
  readonly rejects?: string
}

export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .description(
      'Write the rows of files as objects of a type. Reads CSV, NDJSON, JSON, GeoJSON and Parquet, optionally compressed.',
    )
    .argument('<files...>', 'files to import, in this order; - reads standard input')
    .requiredOption('--ontology <name>', 'API name or RID of the ontology', parseText)
    .option(
      '--type <name>',
      'API name of the object type (default with --infer: from the file)',
      parseText,
    )
    .addOption(
      new Option('--replace', 'atomically replace all objects of the type').conflicts('append'),
    )
    .option('--append', 'add new objects only and leave existing ones unchanged')
    .addOption(
      new Option(
        '--merge',
        'change only the columns of the files: other values of existing objects stay',
      ).conflicts(['replace', 'append', 'replaceValues']),
    )
    .addOption(
      new Option(
        '--replace-values',
        'let existing objects lose the values of properties that the files have no column for',
      ).conflicts(['replace', 'append']),
    )
    .option(
      '--infer',
      'create the object type from the data, or widen it if it cannot hold the data',
    )
    .addOption(
      new Option(
        '--on-duplicate <row>',
        'which of several rows with the same primary key to write (default: last; first with --append)',
      ).choices(['last', 'first', 'fail']),
    )
    .option(
      '--restart',
      'send all rows, also those that an interrupted run of this command has sent',
    )
    .option('--dry-run', 'read and check everything, but write nothing')
    .option('--max-errors <n>', 'stop after more than this many rejected rows', parseMaxErrors, 0)
    .option('--rejects <file>', 'write rejected rows and reasons to this NDJSON file', parseText)
  addInputOptions(command)
  addColumnOptions(command)
  addServiceOptions(command)
  addExamples(
    command,
    'oqs import airports.csv --ontology aviation --type airport',
    'oqs import airports.csv --ontology travel --infer',
    'oqs import airports.csv --ontology aviation --type airport --replace --max-errors 10 --rejects rejects.ndjson',
    'oqs import elevations.csv --ontology aviation --type airport --merge',
    'gzip -c airports.csv | oqs import - --ontology aviation --type airport --append --dry-run',
  ).action((files: readonly string[], options: ImportCommandOptions) => {
    if (options.type === undefined && options.infer === undefined) {
      command.error(
        "error: required option '--type <name>' not specified; pass --infer to create a type",
        { exitCode: 2 },
      )
    }
    if (files.filter((file) => file === '-').length > 1) {
      command.error('error: standard input can be read only once', { exitCode: 2 })
    }
    if (options.append && options.onDuplicate === 'last') {
      command.error(
        "error: '--append' writes the first row of a key, so '--on-duplicate' cannot be 'last'",
        {
          exitCode: 2,
        },
      )
    }
    return untilInterrupted((signal) => importAll(files, options, signal))
  })
}

/** Rejected rows that are printed; further ones are only counted. */
const PRINTED_REJECTIONS = 20

async function importAll(
  files: readonly string[],
  options: ImportCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const [
    { findImportType },
    { localCheck },
    { RepeatedKeys },
    { rowReader },
    { typeNameOf },
    { lossGuard, refuseLostValues },
  ] = await Promise.all([
    import('../../transfer/import/import-type.ts'),
    import('../../transfer/import/local-check.ts'),
    import('../../transfer/import/repeated-keys.ts'),
    import('../../transfer/columns/row-to-object.ts'),
    import('../../transfer/infer/definition.ts'),
    import('../../transfer/import/lost-values.ts'),
  ])
  const startedAt = performance.now()
  // After Ctrl-C, requests in progress finish, so that the number of written objects is known.
  const client = await openClient(options, signal, { finishRequests: true })
  const { ontology, type = typeNameOf(files[0] ?? ''), dryRun = false } = options
  if (options.rejects !== undefined) await checkNoInput(options.rejects, files)
  const mode = modeOf(options)
  await using inputs = await openInputs(files, options, signal, { twice: options.infer === true })
  const columnOptions = readColumnOptions(options)
  const infer = async () => {
    return inferFromFiles(inputs, { apiName: type, columns: columnOptions, signal })
  }
  const { token: _token, restart = false, ...noted } = options
  const others = { ...noted, url: client.connection.baseUrl }
  const request = { files, ontology, type, dryRun, restart, others }
  const findNote = noteFinder(client.administration, request)
  const importType = await findImportType(client, {
    ontology,
    type,
    columns: columnOptions,
    dryRun,
    replacesAll: mode === 'replace',
    infer: options.infer && infer,
    findColumns: async ({ rid }) => {
      const { note, from } = await findNote(rid)
      return from && note?.readColumns()
    },
  })
  const { undo, columns: found } = importType
  const columns = mode === 'merge' ? { ...found, writesNulls: true } : found
  printNotes(importType)
  const rejects = new RejectsFile(options.rejects)
  let rejected = 0
  const onRejected = (rejection: Rejection) => {
    rejects.add(rejection)
    rejected += 1
    const { property = '', column = property, excerpt: text, remedy } = rejection
    const { type } = importType.objectType.properties.get(property) ?? {}
    const scalarType = type?.kind === 'scalar' ? type.type : undefined
    const advice = remedy ? describeRemedy(remedy) : adviceOn(scalarType, { column, text })
    if (rejected <= PRINTED_REJECTIONS) printMessage(describeRejection({ ...rejection, advice }))
    else if (rejected === PRINTED_REJECTIONS + 1) {
      printMessage('further rejected rows are only counted; list them all with --rejects FILE')
    }
  }
  const repeatedKeys = new RepeatedKeys(options.onDuplicate ?? 'last')
  const { note, from } = await findNote(importType.objectType.rid)
  if (note !== undefined && options.infer) note.columns = found
  if (from !== undefined) printMessage(describeContinuation(from))
  const isChecked = mode === 'upsert' && !options.replaceValues && importType.exists && !undo
  const target = { ontology, objectType: importType.objectType, columns }
  if (isChecked && from === undefined && inputs.isFinite) {
    const comparing = inputs.startProgress('comparing with the objects')
    await refuseLostValues(client, {
      ...target,
      open: inputs.open,
      signal,
      onProgress: comparing.update,
    }).finally(() => comparing.end())
  }
  const guard = isChecked && !inputs.isFinite ? lossGuard(client, target) : undefined
  const progress = inputs.startProgress(`importing ${type}`)
  const readRow = rowReader(importType.objectType, columns)
  try {
    const result = await importFiles(client, {
      ontology,
      objectType: type,
      files: inputs.open(),
      readRow: guard?.watch(readRow) ?? readRow,
      beforeBatch: guard?.beforeBatch,
      mode,
      dryRun,
      // The service cannot check objects of a type that it does not have.
      openSink: importType.exists
        ? undefined
        : (reject) => localCheck(importType.objectType, reject),
      repeatedKeys,
      isAllOrNothing: undo !== undefined,
      from,
      onCursor: note && ((cursor) => note.save(cursor)),
      maxErrors: options.maxErrors,
      isFinite: inputs.isFinite,
      signal,
      onRejected,
      onProgress: async (rows, { objects: written }, isLowerBound) => {
        progress.update(rows, dryRun ? {} : { written, isLowerBound })
        await rejects.flush()
      },
      onWriting: (rows, sent) =>
        progress.wait(() => `writing, ${formatCount(sent.objects)} of ${countOf(rows, 'object')}`),
      onIndexing: (objects) =>
        progress.wait(() => `indexing and publishing ${countOf(objects, 'object')}`),
    })
    progress.end()
    await note?.end(undefined)
    await rejects.flush()
    if (undo !== undefined) printMessage(`created the object type ${type} in ${ontology}`)
    const described = { target: `${ontology}/${type}`, mode, dryRun }
    printMessage(describeResult(result, described, performance.now() - startedAt))
    const { append, onDuplicate = append ? 'first' : 'last' } = options
    const repeats = describeRepeatedKeys(repeatedKeys, onDuplicate)
    if (repeats !== undefined) printMessage(repeats)
  } catch (error) {
    progress.end()
    // A type that was created for a service that is gone now is completed by the next run.
    const isLost = error instanceof ImportStopped && isRetryable(error.cause)
    const isUndone = isLost
      ? undefined
      : await undo?.().then(
          () => true,
          () => false,
        )
    const isKept = error instanceof ImportStopped && isUndone === undefined
    await note?.end(isKept ? error.cursor : undefined)
    if (isUndone === false) {
      const command = `oqs ontology delete ${ontology} ${type}`
      printMessage(
        `the new object type ${type} in ${ontology} was not removed. Remove it with \`${command}\`.`,
      )
    }
    if (!(error instanceof ImportStopped)) throw error
    const { cause } = error
    const reason = `${describeOption(cause)}${error.message}${hintFor(cause)}`.replace(/\.$/, '')
    const message = `${reason}. ${describeStop(error, mode, dryRun)}`
    throw signal.aborted
      ? new Interrupted(message, { cause: error })
      : new Error(message, { cause: error })
  } finally {
    progress.end()
    await rejects.close()
  }
}

function modeOf({ replace, append, merge }: ImportCommandOptions): ImportMode {
  if (replace) return 'replace'
  if (append) return 'append'
  return merge ? 'merge' : 'upsert'
}

function parseMaxErrors(text: string): number {
  if (!/^\d{1,12}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of at least 0.')
  }
  return Number(text)
}
