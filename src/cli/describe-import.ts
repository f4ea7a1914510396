/** What `oqs import` says about rejected rows and about its result. */
import { OqsError } from '../client/oqs-error.ts'
import { countOf, formatCount } from '../contract/count-of.ts'
import type { Rejection } from '../transfer/import/batch.ts'
import type { ImportCursor } from '../transfer/import/import-cursor.ts'
import {
  type ImportMode,
  type ImportResult,
  type ImportStopped,
  TooManyRejected,
} from '../transfer/import/import-files.ts'
import type { DuplicatePolicy, RepeatedKeys } from '../transfer/import/repeated-keys.ts'
import { formatDuration } from './progress.ts'

export function describeRejection({
  file,
  line,
  property,
  excerpt,
  reason,
  column = property,
  advice,
}: Rejection & { readonly advice: string | undefined }): string {
  const value = excerpt === '' ? '' : ` ${JSON.stringify(excerpt)}`
  const what = `${column === undefined ? '' : `${column}${value} `}${reason}`
  return `${file}:${line}: ${what}${advice === undefined ? '' : `. ${advice}`}`
}

export function describeContinuation({ objects }: ImportCursor): string {
  return `continuing after the first ${countOf(objects, 'object')}, which an earlier run has sent (--restart sends all)`
}

export function describeRefutation(type: string, sampleRows: number): string {
  return `${type}: later rows differ from the first ${formatCount(sampleRows)} rows, so the type is inferred from all of them`
}

/** Returns undefined if no row had the key of an earlier one. */
export function describeRepeatedKeys(
  { repeated, isIncomplete }: RepeatedKeys,
  writtenRow: DuplicatePolicy,
): string | undefined {
  if (repeated === 0) return undefined
  const rows = `${isIncomplete ? 'at least ' : ''}${countOf(repeated, 'row')}`
  return `${rows} had the primary key of an earlier row; the ${writtenRow} row of each key was written (--on-duplicate)`
}

export function describeResult(
  result: ImportResult,
  {
    target,
    mode,
    dryRun,
  }: { readonly target: string; readonly mode: ImportMode; readonly dryRun: boolean },
  elapsedMs: number,
): string {
  const { put, kept, rejected, replaced, version, objects, batches } = result
  const parts = [
    dryRun
      ? `${countOf(objects, 'object')} would be written to ${target}`
      : `${countOf(put, 'object')} written to ${target}`,
  ]
  if (replaced !== undefined) parts.push(`in place of ${formatCount(replaced)}`)
  if (kept > 0) {
    const state = mode === 'merge' ? 'had these values' : kept === 1 ? 'was kept' : 'were kept'
    parts.push(`${formatCount(kept)} existed and ${state}`)
  }
  if (rejected > 0) parts.push(`${countOf(rejected, 'row')} rejected`)
  if (!dryRun && batches > 0) parts.push(`version ${version}`)
  return `${parts.join(', ')}, in ${formatDuration(elapsedMs)}`
}

export function describeStop(
  { result, cursor, cause }: ImportStopped,
  mode: ImportMode,
  dryRun: boolean,
): string {
  const { objects, isUncertain } = result
  if (isUncertain) {
    const change = mode === 'replace' ? 'replaced' : 'written'
    return `It is not known whether the objects were ${change}. Run the command again.`
  }
  if (cursor?.replacement !== undefined) {
    return `${countOf(cursor.objects, 'object')} sent, none of them visible yet. ${RUN_AGAIN_TO_CONTINUE}`
  }
  if (dryRun || (mode !== 'replace' && objects === 0 && !isLost(cause)))
    return 'Nothing was written.'
  if (mode === 'replace') return 'Nothing was replaced.'
  const written = `${countOf(objects, 'object')} written.`
  if (isLost(cause)) return `At least ${written} ${RUN_AGAIN}`
  return `${written} ${cause instanceof TooManyRejected ? FIX_AND_RUN_AGAIN : RUN_AGAIN}`
}

/** An unused replacement is kept for an hour. */
const RUN_AGAIN_TO_CONTINUE = 'Run the command again within an hour to continue the import.'
const RUN_AGAIN = 'Run the command again to complete the import.'
const FIX_AND_RUN_AGAIN = 'Fix the row and run the command again to complete the import.'

/** Whether the connection broke, so that more may have been written than was acknowledged. */
function isLost(cause: unknown): boolean {
  return cause instanceof OqsError && cause.errorCode === 'CLIENT' && cause.isRetryable
}
