/** The screen that a file is dropped on says where it goes. */
export interface Place {
  readonly ontology?: string
  readonly type?: string
  readonly key?: string
}
