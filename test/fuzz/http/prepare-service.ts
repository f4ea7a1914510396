/** Brings the service under test into a known state. */
import type { FuzzRequest } from './fuzz-request.ts'
import { type Placeholders, sendRequest } from './send-request.ts'
import { DEFINITIONS, makeObject } from './world.ts'

export interface FuzzTarget {
  readonly url: URL
  readonly adminToken: string
}

const OBJECTS = 40
const ADMIN = '/api/admin/v1'

/** Creates the ontologies again with all their objects; returns what requests can refer to. */
export async function prepareService({ url, adminToken }: FuzzTarget): Promise<Placeholders> {
  const placeholders = new Map([['admin', adminToken]])
  const send = async (method: string, target: string, body?: string, type = 'application/json') => {
    const headers: FuzzRequest['headers'] = [
      ['authorization', 'Bearer {{admin}}'],
      ...(body === undefined ? [] : ([['content-type', type]] as const)),
    ]
    const request = {
      operation: '',
      method,
      target,
      headers,
      ...(body === undefined ? {} : { body }),
    }
    const answer = await sendRequest(url, request, placeholders)
    if (typeof answer === 'string') throw new Error(`${method} ${target}: ${answer}`)
    return { status: answer.status, body: JSON.parse(answer.body.toString()) }
  }
  const require = async (...request: Parameters<typeof send>) => {
    const { status, body } = await send(...request)
    if (status !== 200) throw new Error(`${request[0]} ${request[1]}: ${JSON.stringify(body)}`)
    return body
  }

  for (const definition of DEFINITIONS) {
    const path = `${ADMIN}/ontologies/${definition.apiName}`
    await send('DELETE', `${path}?cascade=true`)
    await require('PUT', path, JSON.stringify(definition))
    for (const type of definition.objectTypes) {
      const lines = Array.from({ length: OBJECTS }, (_, n) =>
        JSON.stringify({ put: makeObject(type, n) }),
      )
      await require('POST', `${path}/objects/${type.apiName}`, lines.join(
        '\n',
      ), 'application/x-ndjson')
    }
  }
  const reader = await require('POST', `${ADMIN}/tokens`, JSON.stringify({
    name: 'reader',
    scopes: ['api:ontologies-read'],
  }))
  placeholders.set('reader', reader.token)
  for (const [operation, request] of Object.entries(FIRST_PAGES)) {
    const { nextPageToken } = await require(...request)
    placeholders.set(`page:${operation}`, nextPageToken)
  }
  return placeholders
}

/** Requests whose page tokens are used, by their operation. */
const FIRST_PAGES: Readonly<Record<string, [method: string, target: string, body?: string]>> = {
  listObjects: ['GET', '/api/v1/ontologies/aviation/objects/airport?pageSize=2'],
  listObjectTypes: ['GET', '/api/v1/ontologies/aviation/objectTypes?pageSize=1'],
  searchObjects: [
    'POST',
    '/api/gotham/v1/objects/types/airport/search?preview=true',
    '{"query":{"type":"empty"},"pageSize":2}',
  ],
  listObjectsV2: ['GET', '/api/v2/ontologies/aviation/objects/airport?pageSize=2'],
  searchObjectsV2: [
    'POST',
    '/api/v2/ontologies/aviation/objects/airport/search',
    '{"where":{"type":"isNull","field":"name","value":false},"pageSize":2}',
  ],
}
