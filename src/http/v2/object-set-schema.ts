/** The object set of a request body. Its parser reports mistakes with their path. */
import { Type } from 'typebox'
import { OBJECT_SET_COMPONENT } from '../../query/object-set/parse-object-set.ts'
import { documentedAs } from '../schemas/documented.ts'

export const ObjectSet = Type.Object({ type: Type.String() }, documentedAs(OBJECT_SET_COMPONENT))
