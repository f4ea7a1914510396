/** The columns of a table: which properties, how wide, how aligned. */
import {
  linksOf,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  type PropertyDefinition,
} from '../api/ontology.ts'

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
const HEADER_EXTRA = 56
/** The narrowest column that a reader can choose. */
export const MIN_WIDTH = 56

/** Returns the columns in the order of the view: the key first, then the title, then the rest. */
export function columnsOf(
  ontology: OntologyDefinition,
  { apiName, properties, primaryKey, titleProperty }: ObjectTypeDefinition,
  chosen: readonly string[] | undefined,
  widths: Readonly<Record<string, number>> = {},
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
    const content = isNumeric ? NUMERIC_WIDTH : (WIDTHS[definition.type] ?? 160)
    const usual = Math.max(content, name.length * CHARACTER_WIDTH + HEADER_EXTRA)
    const width = Math.max(MIN_WIDTH, widths[name] ?? usual)
    return [{ name, definition, width, isNumeric, linkTo: links.get(name) }]
  })
}

/** Properties that the service can order by. */
export function isSortable({ type }: PropertyDefinition): boolean {
  return !['array', 'struct', 'geopoint', 'geoshape', 'attachment'].includes(type)
}
