import type { App } from '../app.ts'

/** Adds a parser of JSON bodies. Official clients send the content type even without a body. */
export function addJsonParser(app: App, contentType: string): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(contentType, { parseAs: 'string' }, (request, text, done) => {
    // The schema decides whether a body is required.
    if (text === '') done(null, undefined)
    else void parseJson(request, text as string, done)
  })
}
