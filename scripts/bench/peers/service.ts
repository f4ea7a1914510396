import type { Call } from '../http-client.ts'
import { loadStore } from '../load-objects.ts'
import { FAMILY, OBJECT_TYPE, ONTOLOGY, type PartProperties } from '../objects.ts'
import { startService } from '../processes.ts'
import type { Workspace } from '../workspace.ts'
import { ASKED_CATEGORY, type PeerPage, type PeerServer } from './peer.ts'

/** The service itself, asked in the same way as its peers. */

export async function startServiceOn(
  store: string,
  workspace: Workspace,
  objects: number,
): Promise<PeerServer> {
  await loadStore(store, objects)
  const service = await startService(workspace, store)
  return {
    ...service,
    settings: 'The service: its defaults, but no limit of a listing and no log of requests.',
    call: ({ question, pageSize }, from) =>
      question === 'walk' ? list(pageSize, from?.token) : search(pageSize, from?.token),
    read: readPage,
  }
}

function list(pageSize: number, pageToken = ''): Call {
  const next = pageToken === '' ? '' : `&pageToken=${encodeURIComponent(pageToken)}`
  const path = `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}?pageSize=${pageSize}${next}`
  return { method: 'GET', path }
}

function search(pageSize: number, pageToken: string | undefined): Call {
  const query = { type: 'eq', field: 'category', value: ASKED_CATEGORY }
  return {
    method: 'POST',
    path: `/api/${FAMILY}/v1/objects/types/${OBJECT_TYPE}/search`,
    body: JSON.stringify({ query, pageSize, pageToken }),
  }
}

function readPage(page: unknown): PeerPage {
  const { data, nextPageToken } = page as {
    readonly data: readonly { readonly properties: PartProperties }[]
    readonly nextPageToken?: string | null
  }
  return {
    objects: data.map(({ properties }) => ({ ...properties })),
    token: nextPageToken ?? undefined,
  }
}
