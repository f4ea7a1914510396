/** Views with names, kept in this browser. A view is its address, so nothing else is needed. */
import { storageKey } from '../api/base-path.ts'

export interface SavedView {
  readonly name: string
  /** Path within the service and query string; never a host or a token. */
  readonly address: string
}

const KEY = storageKey('views')
/** The part of the browser's storage that this uses. */
export type ViewStorage = Pick<Storage, 'getItem' | 'setItem'>

/** Returns the saved views, sorted by name. What cannot be read is ignored. */
export function readViews(storage: ViewStorage): readonly SavedView[] {
  try {
    const saved: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(saved) ? saved.filter(isSavedView) : []
  } catch {
    return []
  }
}

/** Saves a view. One of the same name is replaced. */
export function saveView(storage: ViewStorage, view: SavedView): void {
  const others = readViews(storage).filter(({ name }) => name !== view.name)
  const views = [...others, view].toSorted((a, b) => a.name.localeCompare(b.name))
  storage.setItem(KEY, JSON.stringify(views))
}

export function removeView(storage: ViewStorage, name: string): void {
  const others = readViews(storage).filter((view) => view.name !== name)
  storage.setItem(KEY, JSON.stringify(others))
}

/** An address of another site, planted in the storage, must not become a link. */
function isSavedView(saved: unknown): saved is SavedView {
  const { name, address } = (saved ?? {}) as Partial<SavedView>
  return typeof name === 'string' && typeof address === 'string' && address.startsWith('/o/')
}
