import { isUtf8 } from 'node:buffer'
import { invalidArgument } from '../../contract/errors.ts'
import type { App } from '../app.ts'

/** Adds a parser of JSON bodies. Official clients send the content type even without a body. */
export function addJsonParser(app: App, contentType: string): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    // Decoding would replace invalid bytes, so that values which nobody sent are stored.
    if (!isUtf8(bytes)) done(invalidArgument('body', 'is not UTF-8'))
    // The schema decides whether a body is required.
    else if (bytes.length === 0) done(null, undefined)
    else void parseJson(request, bytes.toString(), done)
  })
}
