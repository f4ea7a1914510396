/** Serves a page of objects. Paged endpoints differ only in the `PageSpec` that they pass. */
import type { PagedRequest } from '../../service/pages/page.ts'
import type { PageSpec } from '../../service/pages/page-spec.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import type { Services } from '../services.ts'
import { type PageReply, sendPage } from './send-page.ts'

export async function servePage<Reply>(
  request: PagedRequest,
  reply: PageReply<Reply>,
  spec: PageSpec,
  services: Services,
  furtherMembers?: string,
): Promise<Reply> {
  return sendPage(reply, await readObjectPage(request, spec, services), furtherMembers)
}
