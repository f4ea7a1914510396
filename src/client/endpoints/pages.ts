/** Pages as the service sends them, and the parameters that request them. */

/** An object as the revisions 1.0 and 2.0 send it. */
export interface ObjectRecord {
  readonly properties: Readonly<Record<string, unknown>>
  /** Revision 1.0. */
  readonly rid?: string
  /** Revision 2.0. */
  readonly primaryKey?: string
  readonly objectType?: string
  readonly title?: string
}

/** An object as v2 sends it. */
export interface FlatRecord {
  readonly __primaryKey: unknown
  readonly __apiName: string
  readonly __rid?: string
  readonly __title?: string
  readonly [property: string]: unknown
}

export interface Page<Item = ObjectRecord> {
  readonly data: readonly Item[]
  /** Absent on the last page. */
  readonly nextPageToken?: string
  /** Absent in revision 2.0 and for linked objects. */
  readonly totalCount?: string
  /** Only on the last page of a snapshot walk: follows what changes later. */
  readonly nextChangesToken?: string
}

/** An object that was created or changed, or the key of one that is gone. */
export type ObjectChange<Item> =
  | { readonly put: Item }
  | {
      readonly delete: {
        readonly primaryKey: unknown
        /** Only in changes of object sets, which can have several types. */
        readonly objectType?: string
      }
    }

/** A page of changes; the last one has a `nextChangesToken`. */
export type ChangesPage<Item> = Page<ObjectChange<Item>>

/** The parameters that all paged endpoints share. */
export interface PageOptions {
  readonly pageSize?: number | undefined
  readonly pageToken?: string | undefined
  readonly snapshot?: boolean | undefined
}

/** The path parameters that name an object type. */
export interface TypePath {
  /** RID or API name. */
  readonly ontology: string
  readonly objectType: string
}
