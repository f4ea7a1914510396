/** The request that computes the numbers of a chart. */
import type { ServiceRequest } from '../../client/connection.ts'
import {
  aggregateBatchRequest,
  objectAggregateRequest,
} from '../../client/endpoints/object-sets.ts'
import { type TypeView, typePathOf } from '../view/type-view.ts'
import type { Cube } from './cube.ts'

export function chartRequest(of: TypeView, { aggregations }: Cube): ServiceRequest {
  // The newest version is the default, and a copied request should go on asking for it.
  const version = of.view.isSnapshot ? of.version : undefined
  const [first, ...others] = aggregations
  return first !== undefined && others.length === 0
    ? objectAggregateRequest(typePathOf(of), { ...first, version })
    : aggregateBatchRequest(typePathOf(of), { aggregations, version })
}
