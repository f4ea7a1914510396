/** The questions of the answers: a request to the service, and the same as statements of each reference. */
import type { Call } from '../measure/connection.ts'
import { TERM } from './answers-data.ts'
import type { Engine } from './references.ts'

export interface Question {
  readonly name: string
  readonly kind: 'aggregation' | 'page' | 'text'
  readonly call: Call
  /** The last column of the first statement has the figures that the service must return, too. */
  readonly statements: Partial<Readonly<Record<Engine, readonly string[]>>>
}

const ITEMS = '/api/v2/ontologies/answers/objects/item'
const BY_REGION = { groupBy: [{ type: 'exact', field: 'region' }] }
const REGION = 'region 7'
const IN_REGION = { type: 'eq', field: 'region', value: REGION }
const IN_RANGE = [
  { type: 'gte', field: 'amount', value: 3000 },
  { type: 'lt', field: 'amount', value: 4000 },
]
const SQL_RANGE = 'amount >= 3000 AND amount < 4000'
const TEXT_JOIN = 'FROM item_text JOIN item ON item.rowid = item_text.rowid'

export const GROUPS = aggregate('group by 20 values', BY_REGION, { by: 'region' })

export const QUESTIONS: readonly Question[] = [
  GROUPS,
  aggregate(
    'ten largest of 400 groups',
    { groupBy: [{ type: 'exact', field: 'station', maxGroupCount: 10 }] },
    { by: 'station', tail: 'ORDER BY count(*) DESC LIMIT 10' },
  ),
  aggregate(
    'groups of a range',
    { where: { type: 'and', value: IN_RANGE }, ...BY_REGION },
    { by: 'region', where: SQL_RANGE },
  ),
  aggregate(
    'groups of a term',
    { where: { type: 'containsAllTerms', field: 'notes', value: TERM.in9 }, ...BY_REGION },
    { by: 'region', where: `contains(' ' || notes || ' ', ' ${TERM.in9} ')` },
    `SELECT region, count(*) ${TEXT_JOIN} WHERE item_text MATCH 'notes : ${TERM.in9}' GROUP BY 1`,
  ),
  aggregate(
    'average by group',
    { ...BY_REGION, aggregation: [{ type: 'avg', field: 'weight' }] },
    { by: 'region', metric: 'avg(weight)' },
  ),
  aggregate(
    'histogram',
    { groupBy: [{ type: 'fixedWidth', field: 'weight', fixedWidth: 50 }] },
    { by: 'floor(weight / 50)' },
  ),
  aggregate(
    'by month',
    { groupBy: [{ type: 'duration', field: 'seenAt', value: 1, unit: 'MONTHS' }] },
    { by: "date_trunc('month', seenAt)" },
  ),
  aggregate(
    'distinct values',
    { aggregation: [{ type: 'exactDistinct', field: 'station' }] },
    { metric: 'count(DISTINCT station)' },
  ),
  aggregate(
    '90th percentile',
    {
      aggregation: [{ type: 'approximatePercentile', field: 'weight', approximatePercentile: 90 }],
    },
    { metric: 'quantile_disc(weight, 0.9)' },
  ),
  aggregate(
    'two dimensions',
    { groupBy: [...BY_REGION.groupBy, { type: 'exact', field: 'status' }] },
    { by: 'region, status' },
  ),
  page('equality, 1 in 20', IN_REGION, `WHERE region = '${REGION}'`),
  page('range, 1 in 10', { type: 'and', value: IN_RANGE }, `WHERE ${SQL_RANGE}`),
  page(
    'equality and range, by the ranged property',
    { type: 'and', value: [IN_REGION, ...IN_RANGE] },
    `WHERE region = '${REGION}' AND ${SQL_RANGE}`,
    'amount',
  ),
  page('by a property', undefined, '', 'weight'),
  text('one term, 1 in 9', 'containsAllTerms', TERM.in9),
  byRelevance('one term, 1 in 9, by relevance', TERM.in9),
  text('one term, 1 in 18', 'containsAllTerms', TERM.in18),
  text('one term, 1 in 80', 'containsAllTerms', TERM.in80),
  text('two terms', 'containsAllTerms', `${TERM.in9} ${TERM.in18}`),
  text('prefix', 'containsAllTermsInOrderPrefixLastTerm', TERM.beginning, `${TERM.beginning}*`),
  text(
    'phrase',
    'containsAllTermsInOrder',
    `${TERM.in9} ${TERM.in18}`,
    `"${TERM.in9} ${TERM.in18}"`,
  ),
]

function aggregate(
  name: string,
  body: object,
  sql: { by?: string; metric?: string; where?: string; tail?: string },
  sqlite?: string,
): Question {
  const { by = '', metric = 'count(*)', where = 'true', tail = '' } = sql
  const groups = by && `GROUP BY ${by}`
  const duckdb = `SELECT ${by && `${by},`} ${metric} FROM item WHERE ${where} ${groups} ${tail}`
  return {
    name,
    kind: 'aggregation',
    call: post('aggregate', { aggregation: [{ type: 'count' }], ...body }),
    statements: { duckdb: [duckdb], ...(sqlite && { sqlite: [sqlite] }) },
  }
}

function page(name: string, where: object | undefined, sql: string, property?: string): Question {
  const order = property === undefined ? 'id' : `${property}, id`
  const statements = [
    `SELECT count(*) FROM item ${sql}`,
    `SELECT * FROM item ${sql} ORDER BY ${order} LIMIT 100`,
  ]
  const orderBy = property && { orderBy: { fields: [{ field: property, direction: 'asc' }] } }
  return {
    name,
    kind: 'page',
    call: post('search', { where, ...orderBy, pageSize: 100 }),
    statements: { sqlite: statements, duckdb: statements },
  }
}

/** The rows of the reference are in key order. */
function text(name: string, type: string, value: string, written = value): Question {
  // Terms side by side must all match, in both languages.
  const match = `item_text MATCH 'notes : (${written})'`
  return {
    name,
    kind: 'text',
    call: post('search', { where: { type, field: 'notes', value }, pageSize: 100 }),
    statements: {
      sqlite: [
        `SELECT count(*) FROM item_text WHERE ${match}`,
        `SELECT item.* ${TEXT_JOIN} WHERE ${match} ORDER BY item_text.rowid LIMIT 100`,
      ],
      tantivy: [written],
    },
  }
}

/** The tiers of so many matches are sorted by key; the references sort all of them by score. */
function byRelevance(name: string, term: string): Question {
  const question = text(name, 'containsAllTerms', term)
  const where = { type: 'containsAllTerms', field: 'notes', value: term }
  const [count = '', page = ''] = question.statements.sqlite ?? []
  return {
    ...question,
    call: post('search', { where, orderBy: { orderType: 'relevance' }, pageSize: 100 }),
    statements: {
      ...question.statements,
      sqlite: [count, page.replace('ORDER BY item_text.rowid', 'ORDER BY rank')],
    },
  }
}

function post(action: string, body: object): Call {
  return { method: 'POST', path: `${ITEMS}/${action}`, body: JSON.stringify(body) }
}
