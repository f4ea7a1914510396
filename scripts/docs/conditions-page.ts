/** Writes the generated part of docs/reference/conditions.md. */
import { isJsonObject } from '../../src/ontology/json-object.ts'
import { CONDITION_GROUPS, type ConditionExample } from './condition-examples.ts'
import { DIALECTS, type Dialect, filtersOf, GRAMMARS, queryOf } from './condition-forms.ts'

const LABELS: Readonly<Record<Dialect, string>> = {
  revision1: '1.0',
  revision2: '2.0',
  v2: 'v2',
}
/** The builders of the client, by what they read through. */
const BUILDERS: Readonly<Record<Dialect, string>> = {
  revision1: '`objects`',
  revision2: '`family`',
  v2: '`objectSet`',
}
/** From the folder of the repository. */
export const CONDITIONS_PAGE = 'docs/reference/conditions.md'
const NONE = '–'
const WIDTH = 120
const BEGIN =
  '<!-- Written by `npm run docs` from scripts/docs/condition-examples.ts and the grammars. -->'
const END = '<!-- End of the generated part. -->'

/** Returns the page with its generated part written again. */
export function writeConditions(page: string): string {
  const [before, rest] = page.split(BEGIN)
  const [, after] = rest?.split(END) ?? []
  if (after === undefined) throw new Error('conditions.md has no generated part')
  const parts = [overview(), ...CONDITION_GROUPS.flatMap(groupSection)]
  return `${before}${BEGIN}\n\n${parts.join('\n\n')}\n\n${END}${after}`
}

function overview(): string {
  const rows = CONDITION_GROUPS.flatMap(({ title, examples }) => [
    `| **${title}** | | | | | | |`,
    ...examples.map(overviewRow),
  ])
  return [
    '| Condition | URL, `--where` | 1.0 | 2.0 | v2 | Client | `@osdk/client` |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function overviewRow(example: ConditionExample): string {
  const filters = filtersOf(example)
  const operators = [...new Set(filters?.map(([name]) => name.slice(name.lastIndexOf('.') + 1)))]
  const several = example.name === 'in' ? 'several ' : ''
  const cells = [
    `[${example.name}](#${anchorOf(example.name)})`,
    filters === undefined
      ? NONE
      : example.name === 'and'
        ? 'several'
        : several + operators.map(code).join(', '),
    ...DIALECTS.map((dialect) => describeQuery(example, dialect)),
    clientWord(example),
    example.osdk === undefined ? NONE : code(example.osdk),
  ]
  return `| ${cells.join(' | ')} |`
}

/** The type of a query, and that inside it where the dialect needs two for one condition. */
function describeQuery(example: ConditionExample, dialect: Dialect): string {
  const query = queryOf(example, dialect)
  if (query === undefined) return NONE
  const type = String(query['type'])
  const inside = [query['value']].flat().find(isJsonObject)?.['type']
  return inside === undefined ||
    type === example.name ||
    typeof inside !== 'string' ||
    !isOuter(type)
    ? code(type)
    : `${code(type)} of ${code(inside)}`
}

const isOuter = (type: string) => type === 'or' || type === 'not'

function clientWord({ client = {} }: ConditionExample): string {
  const [[name, value] = ['']] = Object.entries(client)
  if (name === '') return '`$query`'
  if (name.startsWith('$')) return code(name)
  return isJsonObject(value) ? code(Object.keys(value)[0] ?? '') : code('eq')
}

function groupSection({ title, examples }: (typeof CONDITION_GROUPS)[number]): string[] {
  return [`## ${title}`, ...examples.map(section)]
}

function section(example: ConditionExample): string {
  const { name, text, selects, keys } = example
  const rows = [...filterRows(example), ...queryRows(example), ...clientRow(example)]
  return [
    `### ${name}`,
    '',
    wrap([text, ...members(example)].join(' ')),
    '',
    `| Written in | ${selects}: ${keys.map(code).join(', ')} |`,
    '|---|---|',
    ...rows.map(([label, form]) => `| ${label} | ${code(form)} |`),
  ].join('\n')
}

type Row = readonly [label: string, form: string]

function filterRows(example: ConditionExample): Row[] {
  const filters = filtersOf(example)
  if (filters === undefined) return []
  return [
    ['URL', filters.map(([name, value]) => `p.${name}=${value}`).join('&')],
    [
      '`oqs list`',
      filters.map(([name, value]) => `--where ${name}=${quoteForShell(value)}`).join(' '),
    ],
  ]
}

const quoteForShell = (value: string) => (/^[\w.-]+$/.test(value) ? value : `'${value}'`)

/** One row for the dialects that write the condition alike. */
function queryRows(example: ConditionExample): Row[] {
  const byForm = new Map<string, string[]>()
  for (const dialect of DIALECTS) {
    const query = queryOf(example, dialect)
    if (query === undefined) continue
    const form = writeJson(query)
    byForm.set(form, [...(byForm.get(form) ?? []), LABELS[dialect]])
  }
  return [...byForm].map(([form, labels]) => [labels.join(', '), form])
}

function clientRow(example: ConditionExample): Row[] {
  if (example.client === undefined) return []
  const builders = DIALECTS.filter((dialect) => queryOf(example, dialect) !== undefined)
  return [
    [
      `Client: ${builders.map((dialect) => BUILDERS[dialect]).join(', ')}`,
      writeCode(example.client),
    ],
  ]
}

/** The members of the condition in the grammar, if they are not only a field and a value. */
function members(example: ConditionExample): string[] {
  const dialect = DIALECTS.findLast((each) => queryOf(example, each) !== undefined)
  const type = dialect && queryOf(example, dialect)?.['type']
  const { schema = {} } = (dialect && GRAMMARS[dialect].types.get(String(type))) ?? {}
  const named = Object.keys(schema).filter((name) => name !== 'propertyIdentifier')
  if (named.every((name) => name === 'field' || name === 'value')) return []
  return [`Members: ${named.map(code).join(', ')}.`]
}

/** Breaks a paragraph at the width of all pages. */
function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trimStart()
    if (lines.length === 0 || longer.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines.join('\n')
}

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``

const anchorOf = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** JSON as people write it: with a space after each comma and colon. */
function writeJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, each]) => `"${name}": ${writeJson(each)}`)
  return `{${entries.join(', ')}}`
}

/** A value as a program in JavaScript writes it. */
function writeCode(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return `[${value.map(writeCode).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(
    ([name, each]) => `${/^[\w$]+$/.test(name) ? name : `'${name}'`}: ${writeCode(each)}`,
  )
  return `{ ${entries.join(', ')} }`
}
