/** The query parameters that the endpoints of revision 2.0 have in common. */
import { Type } from 'typebox'

export const PreviewParameter = Type.Optional(
  Type.Boolean({ description: 'Has no effect. Accepted because clients of this API send it.' }),
)

/** The parameters of an endpoint that finds an object by its key alone. */
export const keyParameters = {
  objectType: Type.Optional(
    Type.String({
      description: 'API name of the object type. Required if several types have such an object.',
    }),
  ),
  preview: PreviewParameter,
}
