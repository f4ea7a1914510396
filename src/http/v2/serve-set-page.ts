/** Serves the pages of v2 that have objects of several types. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { PagedRequest } from '../../service/pages/open-walk.ts'
import { readSetPage, type SetPageSpec } from '../../service/pages/read-parts.ts'
import { type PageReply, sendPage } from '../page/send-page.ts'
import type { Services } from '../services.ts'
import type { PageOrder } from './body-members.ts'

export async function serveSetPage<Reply>(
  request: PagedRequest,
  reply: PageReply<Reply>,
  spec: SetPageSpec,
  services: Services,
  furtherMembers?: string,
): Promise<Reply> {
  const page = await readSetPage(request, spec, services)
  return sendPage(reply, { ...page, furtherMembers })
}

/** Refuses an order by relevance: scores of different object types cannot be compared. */
export function refuseRelevance({ order, isByRelevance }: PageOrder): PageOrder['order'] {
  if (!isByRelevance) return order
  throw new ObjectQueryError('InvalidOrderType', {
    orderType: 'relevance',
    reason: 'objects of several types cannot be ordered by relevance',
  })
}
