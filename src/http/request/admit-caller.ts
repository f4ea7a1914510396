import type { FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'
import { requireScope } from './authenticate.ts'
import { identify, loadView } from './recall.ts'

/** Authenticates the caller of a request, checks its limits and the scope, and waits for its turn. */
export async function admitCaller(request: FastifyRequest, services: Services): Promise<void> {
  const { config, url } = request.routeOptions
  const { scope, isPage = false } = config
  request.context.route = url
  const identified = await identify(request, services, isPage)
  const { caller } = request
  services.admission.admit(caller.id, request.context)
  if (scope !== undefined && scope !== 'any') requireScope(caller, scope)
  const turn = services.admission.takeTurn(caller.id)
  if (turn !== undefined) await turn
  await loadView(request, services, identified)
  request.context.throwIfEnded()
}
