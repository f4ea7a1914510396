/**
 * The page of the API reference. All of it comes from this service, and it asks nobody else: no
 * fonts, no telemetry. Its scripts are files of their own, so that the policy allows no inline one.
 */

export const REFERENCE_PATH = '/docs/js/scalar.js'
export const START_PATH = '/docs/js/start.js'

const TITLE = 'Object Query Service'

const CONFIGURATION = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
}

export const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>${TITLE}</title>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="app"></div>
    <script src="${REFERENCE_PATH}"></script>
    <script src="${START_PATH}"></script>
  </body>
</html>
`

export const START_SCRIPT = `Scalar.createApiReference('#app', ${JSON.stringify(CONFIGURATION, null, 2)})\n`

/** The reference sets styles on its elements, so inline styles are allowed; inline scripts are not. */
export const DOCS_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
