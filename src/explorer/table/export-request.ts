/** The export of a view: all matches, as one snapshot, in the order of the view, in one file. */
import type { ServiceRequest } from '../../client/connection.ts'
import type { ExportFormat } from '../../contract/export-formats.ts'
import { whereOf } from '../view/compile-filters.ts'
import type { TypeView } from '../view/type-view.ts'

export interface ExportOptions {
  readonly format: ExportFormat
  /** True to export only the columns that are shown. */
  readonly isShownOnly: boolean
  /** The version of the snapshot in view; undefined exports the newest. */
  readonly version: number | undefined
}

/**
 * Asks for a link that downloads the export once: a browser saves it to disk as it arrives, and the
 * link holds no bearer token.
 */
export function downloadRequest(
  of: TypeView,
  { format, isShownOnly, version }: ExportOptions,
): ServiceRequest {
  const { ontology, objectType, view } = of
  const whereV2 = whereOf(of)
  const select = isShownOnly ? view.columns : undefined
  const orderBy = view.order.map(({ property, direction }) => `properties.${property}:${direction}`)
  return {
    method: 'POST',
    path: '/api/admin/v1/downloads',
    json: {
      ontology: ontology.apiName,
      objectType: objectType.apiName,
      format,
      ...(whereV2 && { whereV2 }),
      ...(orderBy.length > 0 && { orderBy: orderBy.join() }),
      ...(select && { select: [...new Set([objectType.primaryKey, ...select])] }),
      ...(version !== undefined && view.isSnapshot && { version }),
    },
  }
}
