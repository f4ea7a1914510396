/** The segments of a table as threads share them. */
import type { Image } from '../arrays/shared-arrays.ts'
import type { Closings, SegmentPlace } from '../segment/segment.ts'

/** A segment as threads share it. */
export interface SharedSegment {
  /** Unique in the process. */
  readonly id: number
  readonly place: SegmentPlace
  /** Of a file, the arrays that are in memory at the moment. */
  readonly image: Image
}

/** The segments of a table at a version. */
export interface TableAt {
  readonly version: number
  /** The number of current objects, whatever the version. */
  readonly liveCount: number
  readonly segments: readonly { readonly id: number; readonly closings: Closings }[]
}
