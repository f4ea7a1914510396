import type { LoadSpec } from './messages.ts'
import type { LoadingEndpoints } from './work-options.ts'

/** Returns how rows are read; those without a key are numbered after the last object. */
export async function numberRows(
  { ontology, objectType, columns, isNumbered }: LoadSpec,
  { revision1 }: LoadingEndpoints,
): Promise<LoadSpec['columns']> {
  if (!isNumbered) return columns
  const { apiName, primaryKey } = objectType
  const { data } = await revision1.listObjects(
    { ontology, objectType: apiName },
    { pageSize: 1, orderBy: `properties.${primaryKey}:desc` },
  )
  const rowsBefore = Math.max(0, Number(data[0]?.properties[primaryKey] ?? 0))
  return { ...columns, rowNumber: primaryKey, rowsBefore }
}
