/** The last report of each program that repeats the transactions of another database. */
import type { Caller } from '../../access/caller-rights.ts'
import { resolveOntology } from '../../access/find-visible.ts'
import {
  SOURCE_REPORTS_MAX,
  type SourceReport,
  type SourceReportBody,
  sourceReportPrefix,
} from '../../contract/source-report.ts'
import type { Catalogue } from '../../ontology/catalogue.ts'
import type { ObjectStore } from '../../store/object-store.ts'

interface ReportServices {
  readonly store: Pick<ObjectStore, 'documents'>
  readonly now: () => number
}

export interface SourceSpec {
  readonly caller: Caller
  readonly catalogue: Catalogue
  readonly ontology: string
  readonly source: string
}

/** Replaces the report of a source. */
export async function saveReport(
  spec: SourceSpec,
  body: SourceReportBody,
  { store, now }: ReportServices,
): Promise<SourceReport> {
  const { rid, apiName: ontology } = resolveOntology(spec.catalogue, spec.caller, spec.ontology)
  const id = sourceReportPrefix(rid) + spec.source
  const report = { ontology, source: spec.source, ...body, reportedAt: timeOf(now()) }
  const stored = await listReports({ store, now }, sourceReportPrefix(rid))
  const others = stored.filter(({ source }) => source !== spec.source)
  const [oldest] = others.toSorted((a, b) => a.reportedAt.localeCompare(b.reportedAt))
  if (oldest !== undefined && others.length >= SOURCE_REPORTS_MAX) {
    await store.documents.delete('sourceReport', sourceReportPrefix(rid) + oldest.source)
  }
  await store.documents.put({ kind: 'sourceReport', id, body: report, expiresAtMs: undefined })
  return report
}

/** Deletes the report of a source. Returns whether there was one. */
export async function deleteReport(
  { catalogue, caller, ontology, source }: SourceSpec,
  { store }: Pick<ReportServices, 'store'>,
): Promise<boolean> {
  const { rid } = resolveOntology(catalogue, caller, ontology)
  return store.documents.delete('sourceReport', sourceReportPrefix(rid) + source)
}

/** Returns the reports of all ontologies, or those whose ids have a prefix. */
export async function listReports(
  { store, now }: ReportServices,
  prefix?: string,
): Promise<readonly SourceReport[]> {
  const documents = await store.documents.list('sourceReport', now(), prefix)
  return documents.map(({ body }) => body as SourceReport)
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
