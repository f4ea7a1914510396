import { isUtf8 } from 'node:buffer'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import type { App } from '../app.ts'

/** Adds a parser of JSON bodies. Official clients send the content type even without a body. */
export function addJsonParser(app: App, contentType: string): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    // Decoding would replace invalid bytes, so that values which nobody sent are stored.
    if (!isUtf8(bytes)) done(notText(request.headers['content-encoding']))
    // The schema decides whether a body is required.
    else if (bytes.length === 0) done(null, undefined)
    else {
      const text = bytes.toString()
      void parseJson(request, text, (error, value) => {
        if (error === null) done(null, value)
        else done(refusedMember(text) ?? error)
      })
    }
  })
}

/**
 * Returns the error for a body that is JSON, but has a member with which a prototype could be changed;
 * undefined if it is not JSON.
 */
function refusedMember(text: string): ObjectQueryError | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  const nodes: Member[] = [{ name: '', value: body, parent: undefined }]
  for (const parent of nodes) {
    if (typeof parent.value !== 'object' || parent.value === null) continue
    for (const [name, value] of Object.entries(parent.value)) {
      const member = { name, value, parent }
      if (name === '__proto__') return reservedName(member)
      const isObject = typeof value === 'object' && value !== null
      if (name === 'constructor' && isObject && Object.hasOwn(value, 'prototype')) {
        return reservedName({ name: 'prototype', value: undefined, parent: member })
      }
      nodes.push(member)
    }
  }
  return undefined
}

/** A member of a body. Paths are not built for each: those of a deep body would fill the memory. */
interface Member {
  readonly name: string
  readonly value: unknown
  readonly parent: Member | undefined
}

const MAX_NAMED_STEPS = 20

function reservedName(member: Member): ObjectQueryError {
  const steps: string[] = []
  let at: Member | undefined = member
  for (; at?.parent !== undefined && steps.length < MAX_NAMED_STEPS; at = at.parent) {
    steps.unshift(Array.isArray(at.parent.value) ? `[${at.name}]` : `.${at.name}`)
  }
  const path = `${at?.parent === undefined ? '' : '…'}${steps.join('')}`.replace(/^\./, '')
  return invalidArgument(path, 'is a reserved name, which no member of a body may have')
}

/** Compressed bodies are not UTF-8 either. */
function notText(encoding: string | undefined): ObjectQueryError {
  if (encoding === undefined) return invalidArgument('body', 'is not UTF-8')
  return new ObjectQueryError('Conjure:UnsupportedMediaType', {
    expected: 'no content encoding',
    received: encoding,
  })
}
