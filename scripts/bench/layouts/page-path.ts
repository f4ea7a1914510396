import type { Revision } from '../../../src/contract/revisions.ts'
import type { LayoutName } from './layout.ts'

/** What the bare server of the layouts and its clients agree on. */
export interface PagePath {
  readonly layout: LayoutName | 'constant'
  readonly revision: Revision
  /** Undefined for the current objects. */
  readonly version: number | undefined
  /** The number of the first object of the page. */
  readonly first: number
  readonly objects: number
}

export function writePath({ layout, revision, version = 0, first, objects }: PagePath): string {
  return `/${layout}/${revision}/${version}/${first}/${objects}`
}

export function readPath(path: string): PagePath {
  const [, layout = '', revision = '', ...numbers] = path.split('/')
  const [version = 0, first = 0, objects = 0] = numbers.map(Number)
  return {
    layout: layout as PagePath['layout'],
    revision: revision as Revision,
    version: version === 0 ? undefined : version,
    first,
    objects,
  }
}
