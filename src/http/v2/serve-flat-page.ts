/** Serves the pages of v2 that a request body asks for. They are counted, and up to 10,000 long. */
import { V2_PAGE_SIZES } from '../../contract/limits.ts'
import type { PagedRequest } from '../../service/pages/open-walk.ts'
import { type PageSpec, readPage } from '../../service/pages/read-object-page.ts'
import { type PageReply, sendPage } from '../page/send-page.ts'
import type { Services } from '../services.ts'

export type FlatPageSpec = Omit<
  PageSpec,
  'revision' | 'maximumPageSize' | 'defaultPageSize' | 'includeTotalCount'
>

export async function serveFlatPage<Reply>(
  request: PagedRequest,
  reply: PageReply<Reply>,
  spec: FlatPageSpec,
  services: Services,
  furtherMembers?: string,
): Promise<Reply> {
  const pageSpec: PageSpec = {
    ...spec,
    revision: 'v2',
    maximumPageSize: V2_PAGE_SIZES.maximum,
    defaultPageSize: V2_PAGE_SIZES.default,
    includeTotalCount: true,
  }
  const page = await readPage(request, pageSpec, services)
  return sendPage(reply, { ...page, furtherMembers })
}
