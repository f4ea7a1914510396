import { PROPERTIES_MAX } from '../../contract/limits.ts'
import { isUnreadable, type Row, type UnreadableRow } from '../../formats/row.ts'
import { typeNameOf } from '../../transfer/infer/definition.ts'
import { inferrer } from '../../transfer/infer/inferrer.ts'
import type { FileReport } from './messages.ts'
import { openFile } from './open-file.ts'
import { reportPace, type WorkOptions } from './open-load.ts'

const SAMPLE_ROWS = 200

/** Reads a file once, and infers a type from its rows. */
export async function readFile(
  file: File,
  { signal, report }: Pick<WorkOptions, 'signal' | 'report'>,
): Promise<void> {
  const { format, source, bytesRead } = await openFile(file)
  const isDue = reportPace()
  const infer = inferrer()
  const columns = new Set<string>()
  const sample: Row[] = []
  let firstUnreadable: UnreadableRow | undefined
  let rows = 0
  for await (const some of source.rows) {
    if (signal.aborted) break
    infer.add(some, source.kind, source.types)
    rows += some.length
    for (const row of some) {
      if (isUnreadable(row)) {
        firstUnreadable ??= row
        continue
      }
      for (const name of Object.keys(row.cells)) {
        if (columns.size < PROPERTIES_MAX) columns.add(name)
      }
      if (sample.length < SAMPLE_ROWS) sample.push(row)
    }
    if (isDue()) report({ kind: 'reading', rows, bytesRead: bytesRead() })
  }
  if (sample.length === 0) throw new Error(describeNoRows(firstUnreadable))
  const result: FileReport = {
    format,
    kind: source.kind,
    inferred: infer.finish(typeNameOf(file.name)),
    columns: [...columns],
    sample,
    rows,
    isWhole: !signal.aborted,
  }
  report({ kind: 'read', report: result })
}

function describeNoRows(first: UnreadableRow | undefined): string {
  if (first === undefined) return 'The file has no rows.'
  const advice =
    first.remedy?.do === 'nameEncoding'
      ? 'Save the file as UTF-8, or load it with oqs import --encoding.'
      : 'Check that the name of the file says what it holds.'
  return `No row can be read: line ${first.line} ${first.reason}. ${advice}`
}
