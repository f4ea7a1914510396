import { type Call, readBody } from '../http-client.ts'
import { makePart, type PartProperties } from '../objects.ts'
import { COLUMNS } from './part-table.ts'
import { ASKED_CATEGORY, type Asked, type PeerServer, type Position } from './peer.ts'

/** Goes once through all pages: what is measured afterwards is known to be the right answer. */

/** A page whose objects were checked. */
export interface CheckedPage {
  readonly call: Call
  readonly objects: number
  readonly bytes: number
}

export async function walkChecked(
  server: PeerServer,
  asked: Asked,
  objects: number,
): Promise<readonly CheckedPage[]> {
  const expected = expectedParts(asked, objects)
  const pages: CheckedPage[] = []
  let position: Position | undefined
  let next = expected.next()
  while (!next.done) {
    const call = server.call(asked, position)
    const body = await readBody(server, call)
    const page = server.read(JSON.parse(body.toString()))
    let last = ''
    for (const found of page.objects) {
      if (next.done) throw new Error('It answered with more objects than there are.')
      checkObject(found, next.value)
      last = next.value.partNumber
      next = expected.next()
    }
    const count = page.objects.length
    if (count !== asked.pageSize && !next.done) {
      throw new Error(`It answered with ${count} objects in place of ${asked.pageSize}.`)
    }
    pages.push({ call, objects: count, bytes: body.length })
    position = { key: last, count: (position?.count ?? 0) + count, token: page.token }
  }
  return pages
}

function* expectedParts(
  { question }: Asked,
  objects: number,
): Generator<PartProperties, undefined> {
  for (let number = 0; number < objects; number++) {
    const part = makePart(number, 0)
    if (question === 'walk' || part.category === ASKED_CATEGORY) yield part
  }
}

function checkObject(found: Readonly<Record<string, unknown>>, expected: PartProperties): void {
  for (const column of COLUMNS) {
    if (found[column] === expected[column]) continue
    // The same moment may be written in several ways.
    if (column === 'changedAt' && isSameTime(found[column], expected[column])) continue
    throw new Error(`It answered with another ${column} of ${expected.partNumber}.`)
  }
}

function isSameTime(found: unknown, expected: string): boolean {
  return typeof found === 'string' && Date.parse(found) === Date.parse(expected)
}
