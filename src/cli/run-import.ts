/**
 * Runs `oqs import`. A type that is inferred from a large input comes from a sample, which the load
 * proves; a load that refutes it is taken back, and the command starts again with all rows.
 */

import { isRetryable } from '../client/retry.ts'
import { countOf, formatCount } from '../contract/count-of.ts'
import { RemediableError } from '../formats/remedy.ts'
import { rowReader } from '../transfer/columns/row-to-object.ts'
import type { Rejection } from '../transfer/import/batch.ts'
import type { ImportCursor } from '../transfer/import/import-cursor.ts'
import {
  type ImportMode,
  type ImportRequest,
  type ImportResult,
  ImportStopped,
  importFiles,
} from '../transfer/import/import-files.ts'
import { findImportType, type ImportType } from '../transfer/import/import-type.ts'
import { localCheck } from '../transfer/import/local-check.ts'
import { lossGuard, refuseLostValues } from '../transfer/import/lost-values.ts'
import { type DuplicatePolicy, RepeatedKeys } from '../transfer/import/repeated-keys.ts'
import { typeNameOf } from '../transfer/infer/definition.ts'
import { SampleProof, SampleRefuted, sampleRowsOf } from '../transfer/infer/sample.ts'
import { changeProgress } from './change-progress.ts'
import { type ColumnArgs, readColumnOptions } from './column-options.ts'
import {
  describeContinuation,
  describeRefutation,
  describeRepeatedKeys,
  describeResult,
  describeStop,
} from './describe-import.ts'
import { hintFor } from './hints.ts'
import { type ImportNote, noteFinder } from './import-note.ts'
import { inferFromFiles, printNotes } from './infer-type.ts'
import { type InputArgs, openInputs } from './inputs.ts'
import { Interrupted } from './interrupt.ts'
import { printMessage } from './output.ts'
import { checkNoInput, RejectsFile, rejectionPrinter } from './rejects-file.ts'
import { describeOption } from './remedies.ts'
import { openClient, type ServiceOptions } from './service-options.ts'

export interface ImportCommandOptions extends ServiceOptions, InputArgs, ColumnArgs {
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

/** What the attempts of one command have in common. */
interface Import {
  readonly files: readonly string[]
  readonly options: ImportCommandOptions
  readonly signal: AbortSignal
  readonly client: Awaited<ReturnType<typeof openClient>>
  readonly inputs: Awaited<ReturnType<typeof openInputs>>
  readonly ontology: string
  readonly type: string
  readonly mode: ImportMode
  readonly dryRun: boolean
  readonly startedAt: number
}

export async function runImport(
  files: readonly string[],
  options: ImportCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now()
  // After Ctrl-C, requests in progress finish, so that the number of written objects is known.
  const client = await openClient(options, signal, { finishRequests: true })
  const { ontology, type = typeNameOf(files[0] ?? ''), dryRun = false } = options
  if (options.rejects !== undefined) await checkNoInput(options.rejects, files)
  await using inputs = await openInputs(files, options, signal, { twice: options.infer === true })
  const mode = modeOf(options)
  const shared = { files, options, signal, client, inputs, ontology, type, mode, dryRun, startedAt }
  try {
    await attempt(shared, inputs.isFinite && mode !== 'merge')
  } catch (error) {
    if (!(error instanceof SampleRefuted)) throw error
    printMessage(describeRefutation(type, sampleRowsOf(files.length)))
    await attempt(shared, false)
  }
}

/** Throws `SampleRefuted`, with nothing left behind, if all rows together have another type. */
async function attempt(shared: Import, canSample: boolean): Promise<void> {
  const { files, options, signal, client, inputs, ontology, type, mode, dryRun } = shared
  const columnOptions = readColumnOptions(options)
  const { token: _token, restart = false, ...noted } = options
  const others = { ...noted, url: client.connection.baseUrl }
  const request = { files, ontology, type, dryRun, restart, others }
  const findNote = noteFinder(client.administration, request)
  const inference = { apiName: type, columns: columnOptions, signal }
  const inferAll = () => inferFromFiles(inputs, inference)
  const inferSample = () => {
    const sample = { ...inference, rowsPerFile: sampleRowsOf(files.length) }
    return inferFromFiles(inputs, sample).catch((error: unknown) => {
      // A column that an option names may be in later rows.
      if (error instanceof RemediableError) return inferAll()
      throw error
    })
  }
  const infer = (isSample: boolean) => (isSample ? inferSample() : inferAll())
  const widening = changeProgress(ontology)
  const importType = await findImportType(client, {
    ontology,
    type,
    columns: columnOptions,
    dryRun,
    replacesAll: mode === 'replace',
    infer: options.infer && infer,
    canSample,
    findReading: async ({ rid }) => {
      const { note, from } = await findNote(rid)
      return from && note?.readReading()
    },
    waiting: { signal, onProgress: widening.update },
  }).finally(widening.end)
  const { sampled } = importType
  // All rows were read, or the notes come with the proof.
  if (sampled === undefined) printNotes(importType)
  const { note, from } = await findNote(importType.objectType.rid)
  if (note !== undefined && options.infer) {
    note.reading = {
      columns: importType.columns,
      unproven: sampled && { isOntologyNew: sampled.isOntologyNew },
    }
  }
  if (from !== undefined) printMessage(describeContinuation(from))
  const proof = sampled && new SampleProof(sampled, inference)
  await load(shared, { importType, note, from, proof })
}

interface Load {
  readonly importType: ImportType
  readonly note: ImportNote | undefined
  readonly from: ImportCursor | undefined
  readonly proof: SampleProof | undefined
}

async function load(shared: Import, given: Load): Promise<void> {
  const { options, client, type, ontology, dryRun, inputs } = shared
  const { importType, note, proof } = given
  const rejects = new RejectsFile(options.rejects)
  const onRejected = rejectionPrinter(importType, rejects)
  const held: Rejection[] = []
  const repeatedKeys = new RepeatedKeys(options.onDuplicate ?? 'last')
  const request = await importRequest(shared, given)
  const progress = inputs.startProgress(`importing ${type}`)
  try {
    const result = await importFiles(client, {
      ...request,
      repeatedKeys,
      // What was rejected is said after what was inferred.
      onRejected: proof === undefined ? onRejected : (rejection) => held.push(rejection),
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
    if (proof !== undefined) printNotes(proof.end())
    for (const rejection of held) onRejected(rejection)
    await note?.end(undefined)
    await rejects.flush()
    if (importType.undo !== undefined) {
      printMessage(`created the object type ${type} in ${ontology}`)
    }
    printResult(result, shared, repeatedKeys)
  } catch (error) {
    progress.end()
    throw await stoppedError(error, shared, given)
  } finally {
    progress.end()
    await rejects.close()
  }
}

/** Returns what is imported and how. Throws if objects that exist would lose values. */
async function importRequest(
  { client, inputs, options, ontology, type, mode, dryRun, signal }: Import,
  { importType, note, from, proof }: Load,
) {
  const { objectType, exists, undo } = importType
  const columns =
    mode === 'merge' ? { ...importType.columns, writesNulls: true } : importType.columns
  const isChecked = mode === 'upsert' && !options.replaceValues && exists && !undo
  const target = { ontology, objectType, columns }
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
  const readRow = rowReader(objectType, columns)
  return {
    ontology,
    objectType: type,
    files: inputs.open(),
    readRow: guard?.watch(readRow) ?? readRow,
    beforeBatch: guard?.beforeBatch,
    mode,
    dryRun,
    // The service cannot check objects of a type that it does not have.
    openSink: exists ? undefined : (reject) => localCheck(objectType, reject),
    proof,
    isAllOrNothing: undo !== undefined,
    from,
    onCursor: note && ((cursor) => note.save(cursor)),
    maxErrors: options.maxErrors,
    isFinite: inputs.isFinite,
    signal,
  } satisfies Partial<ImportRequest>
}

function printResult(
  result: ImportResult,
  { ontology, type, mode, dryRun, options, startedAt }: Import,
  repeatedKeys: RepeatedKeys,
): void {
  const described = { target: `${ontology}/${type}`, mode, dryRun }
  printMessage(describeResult(result, described, performance.now() - startedAt))
  const { append, onDuplicate = append ? 'first' : 'last' } = options
  const repeats = describeRepeatedKeys(repeatedKeys, onDuplicate)
  if (repeats !== undefined) printMessage(repeats)
}

/** Takes back a type that was created for the rows; returns the error that says what is left. */
async function stoppedError(
  error: unknown,
  { ontology, type, mode, dryRun, signal }: Import,
  { importType: { undo }, note }: Load,
): Promise<unknown> {
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
  if (error instanceof ImportStopped && error.cause instanceof SampleRefuted) return error.cause
  if (isUndone === false) {
    const command = `oqs ontology delete ${ontology} ${type}`
    printMessage(
      `the new object type ${type} in ${ontology} was not removed. Remove it with \`${command}\`.`,
    )
  }
  if (!(error instanceof ImportStopped)) return error
  const { cause } = error
  const reason = `${describeOption(cause)}${error.message}${hintFor(cause)}`.replace(/\.$/, '')
  const message = `${reason}. ${describeStop(error, mode, dryRun)}`
  return signal.aborted
    ? new Interrupted(message, { cause: error })
    : new Error(message, { cause: error })
}

function modeOf({ replace, append, merge }: ImportCommandOptions): ImportMode {
  if (replace) return 'replace'
  if (append) return 'append'
  return merge ? 'merge' : 'upsert'
}
