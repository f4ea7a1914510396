/** The saved views and dashboards of the explorer. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { resolveOntology } from '../../access/find-visible.ts'
import { SAVED_VIEW_MAX_BYTES, SavedView, SavedViewBody } from '../../contract/saved-view.ts'
import { flag } from '../../contract/schema-parts.ts'
import {
  createView,
  deleteView,
  findView,
  listViews,
  replaceView,
  type ViewGuards,
  type ViewsOf,
} from '../../service/views/saved-views.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { applyOnce } from '../request/apply-once.ts'
import { GUARDED, KEYED } from '../request/declare-guards.ts'
import type { KeyedRequest } from '../request/idempotency-key.ts'
import { readPreconditions, requirePreconditions } from '../request/preconditions.ts'
import { etagOfBytes, sendJson } from '../response/send-data.ts'
import type { Services } from '../services.ts'

const VIEWS = '/api/admin/v1/ontologies/:ontology/views'
const VIEW = `${VIEWS}/:view` as const
const scope = 'api:ontologies-read'

const options = () => ({ bodyLimit: SAVED_VIEW_MAX_BYTES })

export const savedViews: readonly Endpoint[] = [
  endpoint({
    route: `GET ${VIEWS}`,
    config: { scope },
    operationId: 'listSavedViews',
    summary: 'List the saved views and dashboards of an ontology',
    description: 'Those that the caller saved, and those that others share.',
    querystring: Type.Object({
      all: Type.Optional(
        flag('If true, and the caller has the scope `api:admin`, views that are not shared, too.'),
      ),
    }),
    response: Type.Object({ data: Type.Array(SavedView) }),
    handle: async (request, reply, services) => {
      const includesAll = request.query.all ?? false
      const data = await listViews(viewsOf(request), services, { includesAll })
      return sendJson(reply, JSON.stringify({ data }))
    },
  }),
  endpoint({
    route: `GET ${VIEW}`,
    config: { scope },
    operationId: 'getSavedView',
    summary: 'Get a saved view or dashboard',
    description: 'A view that the caller saved, or that another one shares.',
    response: SavedView,
    handle: async (request, reply, services) => {
      const view = await findView(viewsOf(request), request.params.view, services)
      return sendJson(reply, JSON.stringify(view))
    },
  }),
  endpoint({
    route: `POST ${VIEWS}`,
    config: { scope, writes: KEYED },
    operationId: 'createSavedView',
    summary: 'Save a view or a dashboard',
    description:
      'Saves an address of the explorer under a name. It contains no objects and no token: each reader sees what their own token allows.',
    body: SavedViewBody,
    response: SavedView,
    options,
    handle: (request, reply, services) => {
      const { body } = request
      return writeView(request, reply, services, ({ record }) =>
        createView(viewsOf(request), services.newUuid(), body, { record }, services),
      )
    },
  }),
  endpoint({
    route: `PUT ${VIEW}`,
    config: { scope, writes: GUARDED },
    operationId: 'replaceSavedView',
    summary: 'Replace a saved view or dashboard',
    description: 'Only its owner and callers with the scope `api:admin` can. It keeps its owner.',
    body: SavedViewBody,
    response: SavedView,
    options,
    handle: (request, reply, services) => {
      const { params, body } = request
      return writeView(request, reply, services, (guards) =>
        replaceView(viewsOf(request), params.view, body, guards, services),
      )
    },
  }),
  endpoint({
    route: `DELETE ${VIEW}`,
    config: { scope, writes: GUARDED },
    operationId: 'deleteSavedView',
    summary: 'Delete a saved view or dashboard',
    description: 'Only its owner and callers with the scope `api:admin` can.',
    response: SavedView,
    handle: (request, reply, services) => {
      const { params } = request
      return writeView(request, reply, services, (guards) =>
        deleteView(viewsOf(request), params.view, guards, services),
      )
    },
  }),
]

type OntologyRequest = Pick<FastifyRequest, 'caller' | 'catalogue'> & {
  readonly params: { readonly ontology: string }
}

function viewsOf({ caller, catalogue, params }: OntologyRequest): ViewsOf {
  return { caller, ontology: resolveOntology(catalogue, caller, params.ontology) }
}

/** Writes a view at most once for the key of the request, and sends it with its entity tag. */
async function writeView(
  request: KeyedRequest & Pick<FastifyRequest, 'context'>,
  reply: FastifyReply,
  services: Services,
  write: (guards: ViewGuards) => Promise<SavedView>,
): Promise<FastifyReply> {
  const preconditions = readPreconditions(request.headers)
  const check = (stored: SavedView) =>
    requirePreconditions(preconditions, () => [etagOfBytes(JSON.stringify(stored))], {
      view: stored.id,
    })
  const json = await applyOnce(request, reply, services, async (record) => {
    const view = await write({ check, record: (written) => record(JSON.stringify(written)) })
    request.context.noteAudit({ writtenKeys: [view.id] })
    return JSON.stringify(view)
  })
  if (request.method !== 'DELETE') void reply.header('etag', etagOfBytes(json))
  return sendJson(reply, json)
}
