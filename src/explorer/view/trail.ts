/**
 * The trail: the objects through which links led to a page. Each step is `type/key/link`, with the
 * list that the object was opened from behind a question mark, so that walking back restores it.
 */
import { screenPath } from '../api/base-path.ts'
import { EMPTY_VIEW, fromSearch, type ViewState, viewText } from './view-state.ts'

export interface TrailStep {
  readonly type: string
  readonly key: string
  readonly link: string
  /** The list that the object was opened from, as a query string without its question mark. */
  readonly list: string
}

/** An address inside the explorer. */
export interface Address {
  readonly path: string
  readonly search: string
}

/** One part of the path that is shown above a page. */
export interface Crumb extends Address {
  readonly kind: 'object' | 'link'
  readonly step: TrailStep
}

export function writeStep({ type, key, link, list }: TrailStep): string {
  const path = [type, key, link].map(encodeURIComponent).join('/')
  return list === '' ? path : `${path}?${list}`
}

/** Reads a step; undefined if it is none. */
export function readStep(text: string): TrailStep | undefined {
  const [path = '', ...list] = text.split('?')
  const parts = path.split('/')
  if (parts.length !== 3 || parts.includes('')) return undefined
  try {
    const [type = '', key = '', link = ''] = parts.map(decodeURIComponent)
    return { type, key, link, list: list.join('?') }
  } catch {
    return undefined
  }
}

export function readTrail(trail: readonly string[]): readonly TrailStep[] {
  return trail.flatMap((text) => readStep(text) ?? [])
}

/** Returns the part of a view that chooses and orders objects: what a list is, and not how it looks. */
function listOf({ filters, unread, text, box, order, isSnapshot }: ViewState): ViewState {
  return { ...EMPTY_VIEW, filters, unread, text, box, order, isSnapshot }
}

/** Returns a list as a query string, without its question mark. */
export function listText(view: ViewState): string {
  return viewText(listOf(view)).slice(1)
}

/** Returns the query string of a list behind a trail. */
export function searchOf(list: string, trail: readonly TrailStep[]): string {
  const view = fromSearch(new URLSearchParams(list))
  return viewText({ ...view, trail: trail.map(writeStep) })
}

/** Returns an address as the router takes it. */
export function toLink({ path, search }: Address) {
  return { to: path as '/', search: { text: search } as never }
}

/** Returns the address of an object, or of the objects at one of its links. */
export function addressOf(
  ontology: string,
  step: Pick<TrailStep, 'type' | 'key'> & { readonly link?: string },
  search = '',
): Address {
  const parts = [ontology, step.type, step.key, ...(step.link === undefined ? [] : [step.link])]
  return { path: screenPath(...parts), search }
}

/** Returns the path through a trail: each object, and each link with the filters that it had. */
export function crumbsOf(
  ontology: string,
  trail: readonly TrailStep[],
  list: string,
): readonly Crumb[] {
  return trail.flatMap((step, index): Crumb[] => {
    const before = trail.slice(0, index)
    // The objects at a link were filtered by what the next object remembers.
    const filtered = trail[index + 1]?.list ?? list
    const { type, key } = step
    const object = addressOf(ontology, { type, key }, searchOf(step.list, before))
    const link = addressOf(ontology, step, searchOf(filtered, before))
    return [
      { kind: 'object', step, ...object },
      { kind: 'link', step, ...link },
    ]
  })
}
