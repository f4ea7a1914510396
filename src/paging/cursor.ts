/**
 * The last row of a page: its primary key, and the commit that wrote it. The key alone decides in key
 * order; other order values are looked up, so that page tokens stay short.
 */
export interface Cursor {
  readonly pk: string
  readonly version: number
}
