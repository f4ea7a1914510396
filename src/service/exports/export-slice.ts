import { invalidArgument } from '../../contract/errors.ts'
import { NO_CURSOR, pageTokenRefused } from '../../paging/walk-tokens.ts'
import type { Cursor } from '../../store/object-store.ts'
import type { PagedRequest } from '../pages/page.ts'
import { bindPage, type TypePageSpec } from '../pages/page-spec.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { ExportSpec } from './export-spec.ts'

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
  const { snapshot, served, end } = state
  const start = state.after.pk === NO_CURSOR.pk ? undefined : state.after
  if (start !== undefined && spec.after !== undefined && isBefore(spec.after, start)) {
    throw invalidArgument('after', 'lies before the slice')
  }
  const size = end - served
  if (spec.received > size) {
    throw invalidArgument('received', `is ${spec.received}, and the slice has ${size} objects`)
  }
  return {
    ...spec,
    after: spec.after ?? start,
    version: snapshot.version,
    linkedVersions: snapshot.otherVersions,
    size,
  }
}

/** Compares in key order, which is that of the bytes. */
function isBefore(one: Cursor, other: Cursor): boolean {
  return Buffer.compare(Buffer.from(one.pk), Buffer.from(other.pk)) < 0
}
