/** The parameters of the current route, which say where a dropped file goes. */
export interface ScreenParams {
  readonly ontology?: string
  readonly type?: string
  readonly key?: string
}
