/** Serves a page of objects. Paged endpoints differ only in the `PageSpec` that they pass. */
import type { FastifyReply } from 'fastify'
import type { PagedRequest } from '../../service/pages/page.ts'
import type { PageSpec } from '../../service/pages/page-spec.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import type { Services } from '../services.ts'
import { sendPage } from './send-page.ts'

export async function servePage(
  request: PagedRequest,
  reply: FastifyReply,
  spec: PageSpec,
  services: Services,
  furtherMembers?: string,
): Promise<FastifyReply> {
  return sendPage(reply, await readObjectPage(request, spec, services), furtherMembers)
}
