/** The views that the service keeps under a name: their requests, and their addresses. */
import { queryOptions } from '@tanstack/react-query'
import type { SavedView, SavedViewBody } from '../../contract/saved-view.ts'
import { screenPath } from '../api/base-path.ts'
import type { Service } from '../api/service.ts'

export type { SavedView } from '../../contract/saved-view.ts'

const STALE_MS = 10_000

const viewsPath = (ontology: string, ...ids: readonly string[]) =>
  ['/api/admin/v1/ontologies', encodeURIComponent(ontology), 'views', ...ids].join('/')

/** The views of an ontology that the caller sees. */
export function viewsQuery({ connection }: Service, ontology: string) {
  return queryOptions({
    queryKey: ['views', ontology],
    queryFn: async ({ signal }) => {
      const path = viewsPath(ontology)
      return (await connection.send<{ readonly data: readonly SavedView[] }>({ path, signal })).data
    },
    staleTime: STALE_MS,
  })
}

export function viewQuery({ connection }: Service, ontology: string, id: string) {
  return queryOptions({
    queryKey: ['views', ontology, id],
    queryFn: ({ signal }) =>
      connection.send<SavedView>({ path: viewsPath(ontology, encodeURIComponent(id)), signal }),
    staleTime: STALE_MS,
  })
}

/** Saves a view: a new one, or the one with an id again. */
export function saveView(
  { connection }: Service,
  ontology: string,
  json: SavedViewBody,
  id?: string,
): Promise<SavedView> {
  return id === undefined
    ? connection.send({ method: 'POST', path: viewsPath(ontology), json })
    : connection.send({ method: 'PUT', path: viewsPath(ontology, id), json })
}

export function deleteView({ connection }: Service, ontology: string, id: string): Promise<void> {
  return connection.send({ method: 'DELETE', path: viewsPath(ontology, id) })
}

/** Returns what a view saves again, without what the service adds. */
export function bodyOf({ name, description, address, shared, tiles }: SavedView): SavedViewBody {
  return { name, description: description ?? null, address, shared, tiles: tiles ?? null }
}

/** Returns the address at which a view is shown. */
export function addressOf(ontology: string, { id, address, tiles }: SavedView): string {
  return tiles === undefined
    ? screenPath(ontology) + address
    : `/dashboards/${encodeURIComponent(ontology)}/${id}`
}

/** Returns an address of the explorer as views keep it: what follows the ontology. */
export function savedAddress(path: string, search: string): string {
  return path.replace(/^\/o\/[^/]+/, '') + search
}
