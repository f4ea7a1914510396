/** What a program that repeats the transactions of another database reports about itself. */
import { type Static, Type } from 'typebox'
import { closed, flag, namedObject, text, time } from './schema-parts.ts'

/** The size of a report as JSON. */
export const SOURCE_REPORT_MAX_BYTES = 64 * 1024

/** The number of sources of an ontology that have a report. The next one replaces the oldest. */
export const SOURCE_REPORTS_MAX = 50

export const STOPPED_TABLES_MAX = 50
export const STOP_REASON_MAX_LENGTH = 300
export const SOURCE_PROBLEM_MAX_LENGTH = 1000
const TABLE_NAME_MAX_LENGTH = 200

/** Returns the beginning of the ids of an ontology's stored reports, which are deleted with it. */
export function sourceReportPrefix(ontologyRid: string): string {
  return `${ontologyRid} `
}

const STATES = ['copying', 'following', 'waiting', 'ended', 'failed'] as const

const amount = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))

const StoppedTable = namedObject(
  'StoppedTable',
  {
    table: Type.String({ maxLength: TABLE_NAME_MAX_LENGTH }),
    reason: Type.String({ maxLength: STOP_REASON_MAX_LENGTH }),
  },
  closed,
)

const reported = {
  state: Type.Enum([...STATES], {
    description:
      '`copying` and `following` tables, `waiting` to try again, `ended` on request, or `failed`.',
  }),
  once: flag('Whether the program ends when it has caught up, and is started again later.'),
  problem: Type.Optional(
    Type.String({
      maxLength: SOURCE_PROBLEM_MAX_LENGTH,
      description: 'Why the program waits or has failed.',
    }),
  ),
  tables: Type.Integer({ minimum: 0, description: 'The number of tables that are followed.' }),
  stoppedTables: Type.Array(StoppedTable, {
    maxItems: STOPPED_TABLES_MAX,
    description: 'Tables that cannot be followed any more, and why.',
  }),
  lagBytes: amount('How much the source has written since the last change that is applied.'),
  lagSeconds: amount('For how long changes have been missing; 0 if none is.'),
  retainedBytes: amount('The log that the source keeps for the replication slot.'),
}

/** What a program reports. */
export const SourceReportBody = namedObject('SourceReportBody', reported, closed)
export type SourceReportBody = Static<typeof SourceReportBody>

/** A report as the status shows it. */
export const SourceReport = namedObject('SourceReport', {
  ontology: text('API name of the ontology.'),
  source: text('The name that the program has chosen for its source.'),
  ...reported,
  reportedAt: time('When the report arrived.'),
})
export type SourceReport = Static<typeof SourceReport>
