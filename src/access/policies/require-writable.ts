import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'

/** Throws `ApiUsageDenied` if the caller may only read the objects of a type. */
export function requireWritable({ apiName, isReadOnly = false }: ObjectType): void {
  if (!isReadOnly) return
  const reason = 'the policies of the token allow reading only'
  throw new ObjectQueryError('ApiUsageDenied', { objectType: apiName, reason })
}
