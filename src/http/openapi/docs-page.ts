/**
 * The API reference page. The service itself serves everything on it: no external fonts, no
 * telemetry. Its scripts are separate files, so that the policy can forbid inline scripts.
 */

export const REFERENCE_PATH = '/docs/js/scalar.js'
export const START_PATH = '/docs/js/start.js'

const TITLE = 'Object Query Service'

const CONFIGURATION = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
}

/** Returns the page, for the path under which a proxy serves the service. */
export function docsPage(basePath: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <title>${TITLE}</title>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="app"></div>
    <script src="${basePath}${REFERENCE_PATH}"></script>
    <script src="${basePath}${START_PATH}"></script>
  </body>
</html>
`
}

export function startScript(basePath: string): string {
  const configuration = { url: `${basePath}/openapi.json`, ...CONFIGURATION }
  return `Scalar.createApiReference('#app', ${JSON.stringify(configuration, null, 2)})\n`
}

/** Allows inline styles, which the reference sets on its elements, but no inline scripts. */
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
