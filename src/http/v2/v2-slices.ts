import { Type } from 'typebox'
import { resolveTypePath } from '../../access/find-visible.ts'
import { SLICES_MAX } from '../../contract/export-formats.ts'
import { closed } from '../../contract/schema-parts.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import { sealSlices } from '../../service/pages/slices.ts'
import { endpoint } from '../endpoint.ts'
import { sendJson } from '../response/send-data.ts'
import { listPage, RecordParameters } from './list-parameters.ts'

const DESCRIPTION = `
Takes a snapshot of the objects of a type and divides it, in key order, into \`count\` slices of equal
size. Each page token is for list objects (v2) with \`snapshot=true\` and the same \`select\` and
\`excludeRid\`: walk from it to the last page. The slices can be read at the same time; together they
have every object of the snapshot once.

There are fewer slices if there are fewer objects, and at least one. The slice of an empty type has
one page without objects. The last page of each slice has a \`nextChangesToken\`; all of them are for
the same version, so changes can be followed from any of them.
`

export const sliceObjects = endpoint({
  route: 'POST /api/v2/ontologies/:ontology/slices/:objectType',
  config: { scope: 'api:ontologies-read', writes: 'nothing' },
  operationId: 'sliceObjects',
  summary: 'Divide a snapshot into slices',
  description: DESCRIPTION,
  querystring: Type.Object(
    {
      count: Type.Integer({
        minimum: 1,
        maximum: SLICES_MAX,
        description: 'The number of slices.',
      }),
      ...RecordParameters.properties,
    },
    closed,
  ),
  response: Type.Object({
    pageTokens: Type.Array(Type.String(), {
      description: 'The first page token of each slice, in key order.',
    }),
  }),
  handle: async (request, reply, services) => {
    refuseMembers(request.body)
    const { count, ...parameters } = request.query
    const resolved = resolveTypePath(request, request.params)
    const spec = listPage(resolved, { ...parameters, snapshot: true })
    const pageTokens = await sealSlices(request, spec, count, services)
    return sendJson(reply, JSON.stringify({ pageTokens }))
  },
})

/** A filter that is ignored would give slices of other objects than the client expects. */
function refuseMembers(body: unknown): void {
  const [member] = Object.keys(body ?? {})
  if (member !== undefined) throw unprocessable(member, 'is unknown; slices are of all objects')
}
