/** The segments of a table as threads share them. */
import type { BuiltSegment } from '../segment/build-segment.ts'
import type { Closings } from '../segment/segment.ts'

/** A segment as threads share it. */
export interface SharedSegment extends BuiltSegment {
  /** Unique in the process. */
  readonly id: number
}

/** The segments of a table at a version. */
export interface TableAt {
  readonly version: number
  /** The number of current objects, whatever the version. */
  readonly liveCount: number
  readonly segments: readonly { readonly id: number; readonly closings: Closings }[]
}
