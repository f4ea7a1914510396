import type { ObjectType } from '../../ontology/ontology.ts'
import type { OrderTerm, Query } from '../../query/query.ts'
import type { Selection } from '../../query/selection.ts'
import type { Cursor } from '../../store/object-store.ts'
import type { ExportWriter } from './export-writers.ts'

/** What to export, and how. */
export interface ExportSpec {
  readonly objectType: ObjectType
  readonly writer: ExportWriter
  readonly query: Query
  /** Empty for key order. */
  readonly order: readonly OrderTerm[]
  readonly selection: Selection
  readonly after: Cursor | undefined
  readonly version: number | undefined
  /** Of the types that a rule links to; see `ReadPageRequest`. */
  readonly linkedVersions?: readonly number[] | undefined
  readonly received: number
  /** Whether the export continues another response, whose head it has. */
  readonly isContinuation: boolean
  /** The number of objects of a slice; undefined for all objects. */
  readonly size?: number | undefined
  /** Whether the last line states how the export ended. */
  readonly endLine: boolean
  /** True if only the head of the response is sent. */
  readonly omitsBody?: boolean
}

/** An export of everything that its query matches now, without an end line. */
export const WHOLE_EXPORT = {
  after: undefined,
  version: undefined,
  received: 0,
  isContinuation: false,
  endLine: false,
} as const satisfies Partial<ExportSpec>
