import { invalidArgument } from '../../contract/errors.ts'
import { NO_CURSOR, pageTokenRefused } from '../../paging/walk-tokens.ts'
import type { PagedRequest } from '../pages/page.ts'
import { bindPage, type TypePageSpec } from '../pages/page-spec.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { ExportSpec } from './write-export.ts'

/** Limits an export to the slice of a page token, which is one of the list. */
export async function sliceOf(
  request: PagedRequest,
  spec: ExportSpec,
  { list, slice: pageToken }: { readonly list: TypePageSpec; readonly slice: string },
  services: ServiceParts,
): Promise<ExportSpec> {
  const binding = await bindPage(request, list, services)
  const state = services.walkTokens.resume(pageToken, binding, services.now() / 1000)
  // Only the tokens of slices have an end.
  if (state?.snapshot === undefined || state.end === undefined) {
    throw pageTokenRefused(pageToken, 'other request')
  }
  const { snapshot, after, served, end } = state
  const size = end - served
  if (spec.received > size) {
    throw invalidArgument('received', `is ${spec.received}, and the slice has ${size} objects`)
  }
  return {
    ...spec,
    after: spec.after ?? (after.pk === NO_CURSOR.pk ? undefined : after),
    version: snapshot.version,
    linkedVersions: snapshot.otherVersions,
    size,
  }
}
