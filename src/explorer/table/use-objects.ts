/** What all parts of the screen with the objects of a type share. */
import { createContext, type RefObject, useContext } from 'react'
import type { Observable } from '../api/observable.ts'
import type { ObjectRecord } from '../api/ontology.ts'
import type { Changes } from '../queries/changes.ts'
import type { TypeView } from '../view/type-view.ts'
import type { LinkedList, SetView } from '../view/use-view.ts'
import type { ViewState } from '../view/view-state.ts'
import type { ViewWalk } from './use-walk.ts'

export interface ShownObjects {
  /** The view without properties that the type does not have. */
  readonly of: TypeView
  /** The same, as of the version of the rows: for what is counted beside them. */
  readonly counted: TypeView
  /** True once the rows of the view, and so their version, are known. */
  readonly canCount: boolean
  /** The view as the address has it. */
  readonly view: ViewState
  readonly setView: SetView
  readonly walk: ViewWalk
  readonly firstRows: readonly ObjectRecord[]
  /** Reads all pages again. */
  readonly restart: () => void
  /** What has changed since the rows were read. */
  readonly changes: Changes | undefined
  /** Reads all pages again, and marks the rows that have changed. */
  readonly showChanges: () => void
  /** The keys of the rows that are marked. */
  readonly marked: ReadonlySet<string>
  /** The link whose objects are shown; all objects of the type without it. */
  readonly linked: LinkedList | undefined
  /** The first row in view. It changes with every frame of scrolling. */
  readonly topRow: Observable<number>
  readonly grid: RefObject<GridHandle | null>
  /** What the status bar says of the cells that are selected or were copied. */
  readonly cellNote: Observable<string>
  readonly isFinding: boolean
  readonly setFinding: (isFinding: boolean) => void
  readonly isRequestShown: boolean
  readonly setRequestShown: (isShown: boolean) => void
}

export interface ActiveCell {
  readonly row: number
  readonly column: number
}

/** The operations of the grid for other parts of the screen. */
export interface GridHandle {
  readonly goTo: (cell: ActiveCell) => void
}

export const ObjectsContext = createContext<ShownObjects | undefined>(undefined)

export function useObjects(): ShownObjects {
  const shown = useContext(ObjectsContext)
  if (shown === undefined) throw new Error('There are no objects around this component.')
  return shown
}

/** The buttons that keys press as well. */
export const TOOL_IDS = { filter: 'tool-filter', columns: 'tool-columns', export: 'tool-export' }

export const press = (id: string) => () => document.getElementById(id)?.click()
