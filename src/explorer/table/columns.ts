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

export interface Column {
  readonly name: string
  readonly definition: PropertyDefinition
  readonly width: number
  readonly isNumeric: boolean
  readonly style: NumberStyle
  /**
   * The target of the property: the object of the row for its key, another for a foreign key. It has
   * the API name of the type that values are keys of, and its address.
   */
  readonly link: { readonly type: string; readonly to: string } | undefined
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
}

/** Returns the columns in the order of the view: the key first, then the title, then the rest. */
export function columnsOf(
  ontology: OntologyDefinition,
  { apiName, properties, primaryKey, titleProperty }: ObjectTypeDefinition,
  chosen: readonly string[] | undefined,
  { widths = {}, sample = [], keyLength = 0, styleOf = () => 'auto' }: ColumnOptions = {},
): readonly Column[] {
  const links = new Map(
    linksOf(ontology, apiName)
      .filter(({ cardinality }) => cardinality === 'one')
      .map(({ foreignKey, target }) => [foreignKey, target]),
  )
  links.set(primaryKey, apiName)
  const names = Object.keys(properties)
  const first = [primaryKey, ...(titleProperty === undefined ? [] : [titleProperty])]
  const all = [...new Set([...first, ...names])]
  const shown = chosen === undefined ? all : [...new Set([primaryKey, ...chosen])]
  return shown.flatMap((name) => {
    const definition = properties[name]
    if (definition === undefined) return []
    const isNumeric = isNumber(definition.type)
    const isKey = name === primaryKey
    const style = styleOf(name)
    const target = links.get(name)
    const usual = Math.max(
      target === undefined || isKey ? contentWidth(name, definition, sample, style) : LINK_WIDTH,
      isKey ? Math.min(LONGEST_KEY, widthOf(keyLength)) : 0,
      nameOfProperty(name, definition).length * HEADER_CHARACTER_WIDTH + HEADER_EXTRA,
    )
    const width = Math.max(MIN_WIDTH, widths[name] ?? usual)
    const link =
      target === undefined ? undefined : { type: target, to: screenPath(ontology.apiName, target) }
    return [{ name, definition, width, isNumeric, style, link }]
  })
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
