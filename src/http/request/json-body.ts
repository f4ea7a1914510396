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
    else void parseJson(request, bytes.toString(), done)
  })
}

/** Compressed bodies are not UTF-8 either. */
function notText(encoding: string | undefined): ObjectQueryError {
  if (encoding === undefined) return invalidArgument('body', 'is not UTF-8')
  return new ObjectQueryError('Conjure:UnsupportedMediaType', {
    expected: 'no content encoding',
    received: encoding,
  })
}
