/** The reports of programs that repeat the transactions of another database, such as `oqs sync`. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { flag } from '../../contract/schema-parts.ts'
import {
  SOURCE_REPORT_MAX_BYTES,
  SourceReport,
  SourceReportBody,
} from '../../contract/source-report.ts'
import { deleteReport, saveReport } from '../../service/sources/source-reports.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { UNGUARDED } from '../request/declare-guards.ts'

const PATH = '/api/admin/v1/ontologies/:ontology/transactions/:source/report'
const config = { scope: 'api:ontologies-write', writes: UNGUARDED } as const

type SourceRequest = Pick<FastifyRequest, 'caller' | 'catalogue'> & {
  readonly params: { readonly ontology: string; readonly source: string }
}

const specOf = ({ caller, catalogue, params }: SourceRequest) => ({ caller, catalogue, ...params })

export const sourceReports: readonly Endpoint[] = [
  endpoint({
    route: `PUT ${PATH}`,
    config,
    operationId: 'reportSource',
    summary: 'Report the state of a source',
    description:
      'For programs that apply the transactions of another database, such as `oqs sync`: the status and the metrics of the service show the last report of each source, and its age. The audit log omits reports.',
    body: SourceReportBody,
    response: SourceReport,
    options: () => ({ bodyLimit: SOURCE_REPORT_MAX_BYTES }),
    handle: (request, _reply, services) => saveReport(specOf(request), request.body, services),
  }),
  endpoint({
    route: `DELETE ${PATH}`,
    config,
    operationId: 'deleteSourceReport',
    summary: 'Delete the report of a source',
    description: 'For a source that is not followed any more.',
    response: Type.Object({ deleted: flag('Whether there was a report.') }),
    handle: async (request, _reply, services) => ({
      deleted: await deleteReport(specOf(request), services),
    }),
  }),
]
