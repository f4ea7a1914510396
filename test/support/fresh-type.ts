import { expect } from 'vitest'
import type { GeneratedType } from './query-arbitraries.ts'
import type { Service } from './service.ts'

/** Defines a generated type in an ontology and a family of its own, and returns their common name. */
export async function defineFreshType(
  service: Service,
  { definition }: GeneratedType,
): Promise<string> {
  const apiName = `type-${crypto.randomUUID()}`
  const applied = await service.apply({
    apiName,
    families: [apiName],
    objectTypes: [{ apiName, ...definition }],
  })
  expect(applied.status, applied.text).toBe(200)
  return apiName
}
