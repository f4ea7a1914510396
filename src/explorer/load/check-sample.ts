/** Reads the first rows of a file as the load will read them, to show what does not fit. */
import { type CellKind, excerptOf, type Row } from '../../formats/row.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { ColumnOptions } from '../../transfer/columns/column-plan.ts'
import { isRejected, rowReader } from '../../transfer/columns/row-to-object.ts'
import { bodyWriter, RefusedProperty } from '../../transfer/compare/object-body.ts'

/** A row that would be rejected. */
export interface Misfit {
  readonly line: number
  readonly property: string | undefined
  readonly column: string | undefined
  /** The beginning of the value. */
  readonly excerpt: string
  /** Completes a sentence whose subject is the value: `is not an integer`. */
  readonly reason: string
}

export interface SampleCheck {
  readonly misfits: readonly Misfit[]
  /** Two rows with the same key: the later one would replace the other. */
  readonly repeats: readonly { readonly line: number; readonly earlierLine: number }[]
}

export function checkSample(
  type: ObjectType,
  columns: ColumnOptions,
  sample: readonly Row[],
  kind: CellKind,
): SampleCheck {
  const readRow = rowReader(type, columns)
  const checkJson = kind === 'json' ? jsonChecker(type) : () => undefined
  const misfits: Misfit[] = []
  const repeats: SampleCheck['repeats'][number][] = []
  const lineOf = new Map<string, number>()
  for (const row of sample) {
    const { line } = row
    const result = readRow(row, kind)
    if (isRejected(result)) {
      const { property, column, excerpt, reason } = result
      misfits.push({ line, property, column, excerpt, reason })
      continue
    }
    const misfit = checkJson(result.json)
    if (misfit !== undefined) misfits.push({ line, column: undefined, ...misfit })
    const earlierLine = lineOf.get(result.key)
    if (earlierLine !== undefined) repeats.push({ line, earlierLine })
    lineOf.set(result.key, line)
  }
  return { misfits, repeats }
}

/** JSON values are sent as they are, and the service checks them: this is the same check. */
function jsonChecker(type: ObjectType) {
  const writeBody = bodyWriter(type)
  return (json: string): Omit<Misfit, 'line' | 'column'> | undefined => {
    try {
      writeBody(JSON.parse(json))
      return undefined
    } catch (error) {
      if (!(error instanceof RefusedProperty)) throw error
      const { property, path, value, reason } = error
      return { property: property + path, excerpt: excerptOf(value), reason }
    }
  }
}
