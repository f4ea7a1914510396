/** The columns of a table: which properties, how wide, how aligned. */
import { useCallback, useMemo, useState } from 'react'
import { screenPath } from '../api/base-path.ts'
import {
  isNumber,
  keyText,
  linksOf,
  nameOfProperty,
  type ObjectRecord,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  type PropertyDefinition,
} from '../api/ontology.ts'
import type { Walk } from '../queries/walk.ts'
import { formatValue, type NumberStyle } from '../ui/format-value.ts'
import type { ViewState } from '../view/view-state.ts'

export interface Column {
  readonly name: string
  readonly definition: PropertyDefinition
  readonly width: number
  readonly isNumeric: boolean
  readonly style: NumberStyle
  /** Where the values lead: to linked objects, or, key and title, to the object of the row. */
  readonly link: ColumnLink | undefined
  readonly isPinned: boolean
  /** Pixels from the left edge at which the column stays; undefined if it moves with the others. */
  readonly left: number | undefined
  /** True for the last of several columns that stay, below which the others move. */
  readonly isEdge: boolean
}

interface ColumnLink {
  /** The API name of the type of the objects. */
  readonly type: string
  /** The address of the type. */
  readonly to: string
  /** True if the object is that of the row. */
  readonly isOwn: boolean
}

const WIDTHS: Readonly<Record<string, number>> = {
  boolean: 90,
  date: 120,
  timestamp: 190,
  geopoint: 190,
  string: 200,
  array: 220,
  struct: 220,
}
const NUMERIC_WIDTH = 130
const CHARACTER_WIDTH = 8
const HEADER_CHARACTER_WIDTH = 7
/** Room for the padding, the arrow of the order, and the menu. */
const HEADER_EXTRA = 56
/** Room for the padding, and the arrow of a link. */
const CELL_EXTRA = 32
const LONGEST = 280
/** Keys are cut later: a part of a key names nothing. */
const LONGEST_KEY = 420
/** Room for the titles of linked objects, which arrive after the rows. */
const LINK_WIDTH = 190
/** The narrowest column that a reader can choose. */
export const MIN_WIDTH = 56

export interface ColumnOptions {
  /** The widths that the reader chose. */
  readonly widths?: Readonly<Record<string, number>>
  /** Some records, so that columns are as wide as what they hold. */
  readonly sample?: readonly ObjectRecord[]
  /** The length of the longest key that was read. */
  readonly keyLength?: number
  readonly styleOf?: (property: string) => NumberStyle
  /** The width of the table, of which pinned columns leave a part to the others. */
  readonly room?: number
}

/** The part of the table that pinned columns may take. */
const PINNED_PART = 0.6

/** Returns the columns of a view: the key, then those that are pinned, then the others. */
export function columnsOf(
  ontology: OntologyDefinition,
  type: ObjectTypeDefinition,
  view: Pick<ViewState, 'columns' | 'pins'>,
  options: ColumnOptions = {},
): readonly Column[] {
  const { widths = {}, sample = [], keyLength = 0, styleOf = () => 'auto' } = options
  const { room = Number.POSITIVE_INFINITY } = options
  const { apiName, properties, primaryKey, titleProperty } = type
  const links = new Map(
    linksOf(ontology, apiName)
      .filter(({ cardinality }) => cardinality === 'one')
      .map(({ foreignKey, target }) => [foreignKey, target]),
  )
  let left: number | undefined = 0
  const shown = shownNames(type, view).flatMap((name) => {
    const definition = properties[name]
    if (definition === undefined) return []
    const isNumeric = isNumber(definition.type)
    const isKey = name === primaryKey
    const style = styleOf(name)
    const isOwn = isKey || name === titleProperty
    const target = isOwn ? apiName : links.get(name)
    const usual = Math.max(
      target === undefined || isOwn ? contentWidth(name, definition, sample, style) : LINK_WIDTH,
      isKey ? Math.min(LONGEST_KEY, widthOf(keyLength)) : 0,
      nameOfProperty(name, definition).length * HEADER_CHARACTER_WIDTH + HEADER_EXTRA,
    )
    const width = Math.max(MIN_WIDTH, widths[name] ?? usual)
    const link = target === undefined ? undefined : linkTo(ontology.apiName, target, isOwn)
    const isPinned = isKey || view.pins.includes(name)
    const mayStay = isKey || (isPinned && (left ?? 0) + width <= PINNED_PART * room)
    const stays = mayStay ? left : undefined
    left = stays === undefined ? undefined : stays + width
    return [{ name, definition, width, isNumeric, style, link, isPinned, left: stays }]
  })
  const last = shown.findLast((column) => column.left)
  return shown.map((column) => ({ ...column, isEdge: column === last }))
}

function linkTo(ontology: string, type: string, isOwn: boolean): ColumnLink {
  return { type, to: screenPath(ontology, type), isOwn }
}

/** Returns the names of all columns in the usual order: the key, the title, then the others. */
function usualNames({ properties, primaryKey, titleProperty }: ObjectTypeDefinition): string[] {
  const first = [primaryKey, ...(titleProperty === undefined ? [] : [titleProperty])]
  return [...new Set([...first, ...Object.keys(properties)])]
}

/** Returns the names of the columns in view, in their order. The key is always the first. */
export function shownNames(
  type: ObjectTypeDefinition,
  { columns, pins }: Pick<ViewState, 'columns' | 'pins'>,
): readonly string[] {
  const names = columns ?? usualNames(type)
  const pinned = names.filter((name) => pins.includes(name))
  return [...new Set([type.primaryKey, ...pinned, ...names])]
}

/** Returns columns as the view holds them: nothing if they are all, in the usual order. */
export function columnsToKeep(
  type: ObjectTypeDefinition,
  names: readonly string[],
): readonly string[] | undefined {
  const isUsual = names.join() === usualNames(type).join()
  return isUsual ? undefined : names.filter((name) => name !== type.primaryKey)
}

/** Returns the columns with one at another place. Pinned columns stay before the others. */
export function moveColumn(columns: readonly Column[], name: string, to: number): string[] {
  const names = columns.map((column) => column.name)
  const from = names.indexOf(name)
  const pinned = columns.filter(({ isPinned }) => isPinned).length
  const [first, end] = columns[from]?.isPinned ? [1, pinned] : [pinned, columns.length]
  const at = Math.max(first, Math.min(end - 1, to > from ? to - 1 : to))
  return from <= 0 ? names : names.toSpliced(from, 1).toSpliced(at, 0, name)
}

/** The width of the longest text among some records, within reason. */
function contentWidth(
  name: string,
  definition: PropertyDefinition,
  sample: readonly ObjectRecord[],
  style: NumberStyle,
): number {
  const most = isNumber(definition.type) ? NUMERIC_WIDTH : (WIDTHS[definition.type] ?? 160)
  if (sample.length === 0) return most
  const lengths = sample.map(
    ({ properties }) => formatValue(properties[name], definition, style)?.length ?? 0,
  )
  return Math.min(LONGEST, widthOf(Math.max(...lengths)))
}

function widthOf(characters: number): number {
  return characters * CHARACTER_WIDTH + CELL_EXTRA
}

/** Properties that the service can order by. */
export function isSortable({ type }: PropertyDefinition): boolean {
  return !['array', 'struct', 'geopoint', 'geoshape', 'attachment'].includes(type)
}

/** Pixels that characters take at most in the font of a cell. */
const NARROW = 8.5
const WIDE = 14
const WIDEST = 18

/** The padding of a cell on both sides. */
const PADDING = 16

/**
 * Returns whether a text certainly fits into a cell. Only a cell whose text may be too long is clipped:
 * each clipped element makes scrolling slower.
 */
export function fitsInto(text: string, width: number): boolean {
  const room = width - PADDING
  if (text.length * NARROW > room) return false
  let needed = 0
  for (const character of text) {
    const isNarrow = /[a-ln-vx-z0-9 .,:;/()'+-]/.test(character)
    needed += isNarrow ? NARROW : character < '\u2000' ? WIDE : WIDEST
  }
  return needed <= room
}

/** Returns the length of the longest key on the pages that were read. A new page is measured once. */
export function useKeyLength(walk: Walk, pageCount: number): number {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another walk has other keys
  const measured = useMemo(() => ({ length: 0, pages: 0 }), [walk])
  for (; measured.pages < pageCount; measured.pages += 1) {
    for (const { key } of walk.recordsOf(measured.pages)) {
      measured.length = Math.max(measured.length, keyText(key).length)
    }
  }
  return measured.length
}

const MAX_WIDTH = 900

/** The widths that the reader gave to columns. They last as long as the tab. */
export function useWidths(typeRid: string) {
  const key = `oqs.widths.${typeRid}`
  const [widths, setWidths] = useState(() => readWidths(sessionStorage.getItem(key)))
  const setWidth = useCallback(
    (column: string, width: number) => {
      const kept = Math.round(Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, width)))
      setWidths((last) => {
        const next = { ...last, [column]: kept }
        sessionStorage.setItem(key, JSON.stringify(next))
        return next
      })
    },
    [key],
  )
  return [widths, setWidth] as const
}

function readWidths(text: string | null): Readonly<Record<string, number>> {
  try {
    const saved = Object.entries((JSON.parse(text ?? '{}') ?? {}) as Record<string, unknown>)
    return Object.fromEntries(
      saved.filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    )
  } catch {
    return {}
  }
}
