/** The columns of a table: which properties, how wide, how aligned. */
import {
  linksOf,
  nameOfProperty,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  type PropertyDefinition,
} from '../api/ontology.ts'
import type { ObjectRecord } from '../api/records.ts'
import { formatValue } from '../ui/format-value.ts'

export interface Column {
  readonly name: string
  readonly definition: PropertyDefinition
  readonly width: number
  readonly isNumeric: boolean
  /** The address of a linked type, if the property holds the key of one of its objects. */
  readonly linkTo: string | undefined
}

const NUMERIC: ReadonlySet<string> = new Set([
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'decimal',
])
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
/** Room for the padding, the arrow of the order, and the menu. */
const HEADER_EXTRA = 40
/** Room for the padding, and the arrow of a link. */
const CELL_EXTRA = 32
const LONGEST = 280
/** The narrowest column that a reader can choose. */
export const MIN_WIDTH = 56

export interface ColumnOptions {
  /** The widths that the reader chose. */
  readonly widths?: Readonly<Record<string, number>>
  /** Some records, so that columns are as wide as what they hold. */
  readonly sample?: readonly ObjectRecord[]
}

/** Returns the columns in the order of the view: the key first, then the title, then the rest. */
export function columnsOf(
  ontology: OntologyDefinition,
  { apiName, properties, primaryKey, titleProperty }: ObjectTypeDefinition,
  chosen: readonly string[] | undefined,
  { widths = {}, sample = [] }: ColumnOptions = {},
): readonly Column[] {
  const home = `/o/${encodeURIComponent(ontology.apiName)}`
  const links = new Map(
    linksOf(ontology, apiName)
      .filter(({ cardinality }) => cardinality === 'one')
      .map(({ foreignKey, target }) => [foreignKey, `${home}/${encodeURIComponent(target)}`]),
  )
  const names = Object.keys(properties)
  const first = [primaryKey, ...(titleProperty === undefined ? [] : [titleProperty])]
  const all = [...new Set([...first, ...names])]
  const shown = chosen === undefined ? all : [...new Set([primaryKey, ...chosen])]
  return shown.flatMap((name) => {
    const definition = properties[name]
    if (definition === undefined) return []
    const isNumeric = NUMERIC.has(definition.type)
    const isKey = name === primaryKey
    const usual = Math.max(
      contentWidth(name, definition, sample, isKey),
      nameOfProperty(name, definition).length * CHARACTER_WIDTH + HEADER_EXTRA,
    )
    const width = Math.max(MIN_WIDTH, widths[name] ?? usual)
    return [{ name, definition, width, isNumeric, linkTo: links.get(name) }]
  })
}

/** The width of the longest text among some records, within reason. */
function contentWidth(
  name: string,
  definition: PropertyDefinition,
  sample: readonly ObjectRecord[],
  isKey: boolean,
): number {
  const most = NUMERIC.has(definition.type) ? NUMERIC_WIDTH : (WIDTHS[definition.type] ?? 160)
  if (sample.length === 0) return most
  const lengths = sample.map(
    ({ properties }) => formatValue(properties[name], definition, { isKey })?.length ?? 0,
  )
  return Math.min(LONGEST, Math.max(...lengths) * CHARACTER_WIDTH + CELL_EXTRA)
}

/** Properties that the service can order by. */
export function isSortable({ type }: PropertyDefinition): boolean {
  return !['array', 'struct', 'geopoint', 'geoshape', 'attachment'].includes(type)
}
