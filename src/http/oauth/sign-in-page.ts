/** The pages of the sign-in: plain HTML with one style sheet, and no scripts or other resources. */
import { hash } from 'node:crypto'
import { SCOPES, type Scope } from '../../contract/scopes.ts'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 32rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
code, input { font-family: ui-monospace, monospace; }
input { box-sizing: border-box; width: 100%; padding: .5rem; font-size: 1rem; }
button { margin: 1rem .5rem 0 0; padding: .5rem 1.25rem; font-size: 1rem; cursor: pointer; }
.problem { border-left: .25rem solid #c33; padding-left: .75rem; }
.target { overflow-wrap: anywhere; }
`

const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`

/**
 * Returns the headers of a page. Browsers apply `form-action` to the redirect after a form as well,
 * so it names the origin of the client. The referrer policy lets them send `Origin` with the form.
 */
export function pageHeaders(redirectUri?: string): Record<string, string> {
  const targets = redirectUri === undefined ? '' : ` ${originOf(redirectUri)}`
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      `default-src 'none'; style-src ${STYLE_SOURCE}; form-action 'self'${targets}; ` +
      "base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}

function originOf(uri: string): string {
  const { origin, protocol } = new URL(uri)
  return origin === 'null' ? protocol : origin
}

export interface SignInPage {
  readonly clientName: string
  readonly redirectUri: string
  readonly scopes: readonly Scope[]
  readonly ontologies: readonly string[] | undefined
  readonly isOffline: boolean
  /** Members of the form that the person does not see. */
  readonly hidden: Readonly<Record<string, string>>
  /** Why the last attempt failed. */
  readonly problem: string | undefined
}

export function signInPage(page: SignInPage): string {
  const { clientName, redirectUri, scopes, ontologies, isOffline, hidden, problem } = page
  const rights = [
    ...scopes.map((scope) => `${SCOPES[scope]} (<code>${scope}</code>)`),
    ...(isOffline ? ['keep access until you revoke your token'] : []),
  ]
  const where = ontologies === undefined ? '' : ` in ${ontologies.map(code).join(', ')}`
  const members = Object.entries(hidden).map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  return layout(
    'Sign in',
    `<h1>Allow ${escapeHtml(clientName)} to use your data?</h1>
<p><strong>${escapeHtml(clientName)}</strong> asks to:</p>
<ul>${rights.map((right) => `<li>${right}${where}</li>`).join('')}</ul>
<p>It never gets more than your own token allows. You will be sent to
<code class="target">${escapeHtml(redirectUri)}</code>.</p>
${problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<form method="post" autocomplete="off">
${members.join('\n')}
<p><label for="token">Your API token</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" autofocus></p>
<p>No token? Ask the operator of this service, or run <code>oqs token create --name me</code>.</p>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  )
}

export function errorPage(description: string): string {
  return layout(
    'Cannot sign in',
    `<h1>Cannot sign in</h1>
<p class="problem" role="alert">${escapeHtml(description)}</p>
<p>Go back to the program that sent you here, and report this to its developer.</p>`,
  )
}

function layout(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
