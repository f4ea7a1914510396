/** Serves a page of objects. Paged endpoints differ only in the `PageSpec` that they pass. */
import type { Services } from '../services.ts'
import type { PagedRequest } from '../../service/pages/open-walk.ts'
import { type PageSpec, readPage } from '../../service/pages/read-object-page.ts'
import { type PageReply, sendPage } from './send-page.ts'

export async function servePage<Reply>(
  request: PagedRequest,
  reply: PageReply<Reply>,
  spec: PageSpec,
  services: Services,
): Promise<Reply> {
  return sendPage(reply, await readPage(request, spec, services))
}
