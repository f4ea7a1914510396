/** The search parameters of an address, as the router keeps them. */
import { toSearch, type ViewState } from './view-state.ts'

export type SearchRecord = Readonly<Record<string, readonly string[]>>

export function parseSearch(text: string): SearchRecord {
  return recordOf(new URLSearchParams(text))
}

export function stringifySearch(search: SearchRecord): string {
  const parts = Object.entries(search).flatMap(([name, values]) =>
    values.map((value) => `${name}=${readable(value)}`),
  )
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** Returns a view as the search parameters of a link. */
export function searchRecord(view: ViewState): SearchRecord {
  return recordOf(toSearch(view))
}

function recordOf(search: URLSearchParams): SearchRecord {
  return Object.fromEntries([...new Set(search.keys())].map((name) => [name, search.getAll(name)]))
}

/** Leaves the separators of our own syntax readable; they are legal in a query string. */
function readable(value: string): string {
  return encodeURIComponent(value).replaceAll(/%3A|%2C|%2F/g, decodeURIComponent)
}
