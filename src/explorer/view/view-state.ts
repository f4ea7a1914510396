/**
 * The state of a view of objects, and its form in the address bar. The address holds the whole
 * view, so that it can be shared, and never a token. Defaults are left out.
 */
import { type ChartState, readChart, writeChart } from './chart-state.ts'
import { type Filter, readFilter, writeFilter } from './filters.ts'

export type { Filter } from './filters.ts'

export interface OrderTerm {
  readonly property: string
  readonly direction: 'asc' | 'desc'
}

/** West, south, east, north, in degrees. */
export type Box = readonly [west: number, south: number, east: number, north: number]

export const LAYOUTS = ['table', 'charts', 'map'] as const
export type Layout = (typeof LAYOUTS)[number]

/** A parameter of an address that selects objects, but cannot be read, with its text. */
type Unread = readonly [parameter: 'w' | 'in', text: string]

export interface ViewState {
  readonly filters: readonly Filter[]
  /** Kept, so that a view shows nothing in place of too much. */
  readonly unread: readonly Unread[]
  /** Free text, searched in every text of an object. */
  readonly text: string
  readonly box: Box | undefined
  /** The first term decides; each further one orders what is equal so far. */
  readonly order: readonly OrderTerm[]
  /** The columns after the key, in their order. Undefined shows every property in the usual order. */
  readonly columns: readonly string[] | undefined
  /** Columns that stay beside the key while others scroll. */
  readonly pins: readonly string[]
  readonly isSnapshot: boolean
  readonly layout: Layout
  /** The chart above the pictures. */
  readonly chart: ChartState | undefined
  /** The property that colours the map. */
  readonly colour: string | undefined
  /** The key of the object that is shown beside the table. */
  readonly peek: string | undefined
  /** The objects through which links led here: `type/key/link`, percent-encoded. */
  readonly trail: readonly string[]
}

/** One array, so that columns stay the same while other parts of the address change. */
const NO_NAMES: readonly string[] = []
const NO_UNREAD: readonly Unread[] = []

export const EMPTY_VIEW = fromSearch(new URLSearchParams())

/** Neither `:` nor `/` occurs in an API name, so both can separate names from the rest. */
export function toSearch(view: ViewState): URLSearchParams {
  const search = new URLSearchParams()
  for (const filter of view.filters) search.append('w', writeFilter(filter))
  for (const [name, text] of view.unread) search.append(name, text)
  if (view.text !== '') search.set('q', view.text)
  if (view.box !== undefined) search.set('in', view.box.join())
  if (view.order.length > 0) {
    search.set('o', view.order.map(({ property, direction }) => `${property}:${direction}`).join())
  }
  if (view.columns !== undefined) search.set('c', view.columns.join())
  if (view.pins.length > 0) search.set('pin', view.pins.join())
  if (view.isSnapshot) search.set('at', 'snapshot')
  if (view.layout !== 'table') search.set('view', view.layout)
  if (view.chart !== undefined) search.set('p', writeChart(view.chart))
  if (view.colour !== undefined) search.set('by', view.colour)
  if (view.peek !== undefined) search.set('peek', view.peek)
  for (const step of view.trail) search.append('t', step)
  return search
}

/** Reads the state from an address. What cannot be read is ignored, unless it selects objects. */
export function fromSearch(search: URLSearchParams): ViewState {
  return {
    filters: search.getAll('w').flatMap((text) => readFilter(text) ?? []),
    unread: readUnread(search),
    text: search.get('q') ?? '',
    box: readBox(search.get('in')),
    order: readOrder(search.get('o')),
    columns: search.get('c')?.split(',').filter(Boolean),
    pins: search.get('pin')?.split(',').filter(Boolean) ?? NO_NAMES,
    isSnapshot: search.get('at') === 'snapshot',
    layout: readLayout(search.get('view')),
    chart: readChart(search.get('p')),
    colour: search.get('by') ?? undefined,
    peek: search.get('peek') ?? undefined,
    trail: search.getAll('t'),
  }
}

function readUnread(search: URLSearchParams): readonly Unread[] {
  const filters = search.getAll('w').filter((text) => readFilter(text) === undefined)
  const boxes = search.getAll('in').filter((text) => readBox(text) === undefined)
  if (filters.length + boxes.length === 0) return NO_UNREAD
  return [
    ...filters.map((text): Unread => ['w', text]),
    ...boxes.map((text): Unread => ['in', text]),
  ]
}

/** Addresses that were kept may have the name that the charts had before. */
function readLayout(text: string | null): Layout {
  return oneOf(LAYOUTS, text === 'pictures' ? 'charts' : text) ?? 'table'
}

function readOrder(text: string | null): OrderTerm[] {
  return (text?.split(',') ?? []).flatMap((term) => {
    const [property = '', direction] = term.split(':')
    return property === '' ? [] : [{ property, direction: direction === 'desc' ? 'desc' : 'asc' }]
  })
}

function readBox(text: string | null): Box | undefined {
  const edges = text?.split(',').map(Number) ?? []
  const [west, south, east, north] = edges
  if (edges.length !== 4 || !edges.every(Number.isFinite)) return undefined
  return [west ?? 0, south ?? 0, east ?? 0, north ?? 0]
}

function oneOf<Value extends string>(
  values: readonly Value[],
  text: string | null,
): Value | undefined {
  return values.find((value) => value === text)
}

/** Returns the query string of an address, with its question mark. */
export function viewText(view: ViewState): string {
  return searchText(toSearch(view))
}

export function searchText(search: URLSearchParams): string {
  const parts = [...search].map(([name, value]) => `${name}=${readable(value)}`)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** Leaves the separators of our own syntax readable; they are legal in a query string. */
function readable(value: string): string {
  return encodeURIComponent(value).replaceAll(/%3A|%2C|%2F|%7C/g, decodeURIComponent)
}
