/** The request behind a view as a Python program: with pandas, and with the official SDK. */
import type { ServiceRequest } from '../../client/connection.ts'
import { pageRequest } from '../queries/page-request.ts'
import { type Json, whereOf } from '../view/compile-filters.ts'
import type { TypeView } from '../view/type-view.ts'
import { NotExpressible } from './request-text.ts'

/** Pages of a program are as large as the API allows. */
const PAGE_SIZE = 10_000

/** Returns a program that reads all pages into a data frame. */
export function toPandasCode(of: TypeView, origin: string): string {
  const { path, json } = pageRequest(of, { pageSize: PAGE_SIZE })
  return `${sessionFor(origin + path)}
body = ${pyText(sentJson(json))}

rows = []
while True:
    response = session.post(url, json=body)
    response.raise_for_status()
    page = response.json()
    rows += page["data"]
    if page.get("nextPageToken") is None:
        break
    body["pageToken"] = page["nextPageToken"]

frame = pd.DataFrame(rows).filter(regex="^(?!__)")
print(frame)
`
}

/** Returns a body as it is sent: without the members that are undefined. */
function sentJson(body: unknown): Readonly<Record<string, Json>> {
  return JSON.parse(JSON.stringify(body))
}

/** Returns a program that reads the groups of aggregations into data frames. */
export function toPandasGroups({ path, json }: ServiceRequest, origin: string): string {
  const body = sentJson(json)
  const answers = 'aggregations' in body ? 'response.json()["data"]' : '[response.json()]'
  return `${sessionFor(origin + path)}
body = ${pyText(body)}

response = session.post(url, json=body)
response.raise_for_status()
for answer in ${answers}:
    rows = [
        {**one["group"], **{each["name"]: each.get("value") for each in one["metrics"]}}
        for one in answer["data"]
    ]
    print(pd.DataFrame(rows))
`
}

function sessionFor(url: string): string {
  return `import os

import pandas as pd
import requests

session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["OQS_TOKEN"]
url = ${pyText(url)}`
}

/** Returns a program that uses `foundry-platform-sdk`. Throws `NotExpressible`. */
export function toPythonSdkCode(of: TypeView, origin: string): string {
  const { ontology, objectType, view } = of
  if (view.box !== undefined) throw new NotExpressible('a box on the map')
  const { protocol, host, pathname } = new URL(origin)
  const where = whereOf(of) as Json | undefined
  const isPlain = where === undefined
  const terms = view.order.map(({ property, direction }) => {
    return isPlain ? `properties.${property}:${direction}` : { field: property, direction }
  })
  const order = isPlain ? terms.join() : { fields: terms as readonly Json[] }
  const options: readonly (readonly [name: string, value: Json])[] = [
    ...(isPlain ? [] : [['where', where] as const]),
    ...(terms.length > 0 ? [['order_by', order] as const] : []),
    ...(view.isSnapshot ? [['snapshot', true] as const] : []),
    ...(isPlain ? [] : [['select', []] as const]),
    ['page_size', isPlain ? PAGE_SIZE : 1000],
  ]
  const lines = [
    `${pyText(ontology.apiName)}, ${pyText(objectType.apiName)}`,
    ...options.map(([name, value]) => `${name}=${pyText(value)}`),
  ]
  const config = protocol === 'http:' ? '\n    config=Config(scheme="http"),' : ''
  const hostname = host + pathname.replace(/\/$/, '')
  const reading = isPlain
    ? `objects = list(client.ontologies.OntologyObject.list(\n${indented(lines, 4)}\n))`
    : `objects = []
token = None
while True:
    page = client.ontologies.OntologyObject.search(
${indented([...lines, 'page_token=token'], 8)}
    )
    objects += page.data
    token = page.next_page_token
    if token is None:
        break`
  return `import os

from foundry_sdk import ${config === '' ? '' : 'Config, '}FoundryClient, UserTokenAuth

client = FoundryClient(
    auth=UserTokenAuth(token=os.environ["OQS_TOKEN"]),
    hostname=${pyText(hostname)},${config}
)
${reading}
print(len(objects))
`
}

function indented(lines: readonly string[], spaces: number): string {
  return lines.map((line) => `${' '.repeat(spaces)}${line},`).join('\n')
}

/** Returns a JSON value as Python writes it. Texts of JSON are texts of Python. */
function pyText(value: Json): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(pyText).join(', ')}]`
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${pyText(each)}`,
  )
  return `{${members.join(', ')}}`
}
