/** The pages of the sign-in: plain HTML with one style sheet, and no scripts or other resources. */
import { hash } from 'node:crypto'
import { SCOPES, type Scope } from '../../contract/scopes.ts'

// The colours and sizes of the explorer, whose style sheet is not part of the service.
const STYLE = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#fbfbfa, #111214);
  --panel: light-dark(#ffffff, #18191c);
  --raised: light-dark(#f3f4f5, #202226);
  --text: light-dark(#1b1c1e, #ecedef);
  --muted: light-dark(#5c6066, #a2a7ae);
  --line: light-dark(#e3e4e6, #2c2e33);
  --edge: light-dark(#868b92, #6e737b);
  --accent: light-dark(#2451b7, #8fb0ff);
  --danger: light-dark(#b3261e, #ff8a80);
  font: 15px/22px Inter, system-ui, -apple-system, "Segoe UI", sans-serif;
  background: var(--bg);
  color: var(--text);
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; padding: 10vh 16px 32px; }
main {
  max-width: 440px;
  margin: 0 auto;
  padding: 24px;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--panel);
}
.brand { display: flex; align-items: center; gap: 8px; margin: 0 0 16px; font-weight: 600; }
h1 { margin: 0 0 12px; font-size: 18px; line-height: 24px; font-weight: 600; overflow-wrap: anywhere; }
p { margin: 0 0 12px; }
ul { margin: 0 0 12px; padding: 8px 12px 8px 28px; border-radius: 6px; background: var(--raised); }
code, input { font: 13px/20px ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
.hint { color: var(--muted); font-size: 13px; line-height: 20px; }
.problem {
  padding: 8px 12px;
  border-left: 3px solid var(--danger);
  border-radius: 2px;
  background: color-mix(in srgb, var(--danger) 10%, transparent);
  overflow-wrap: anywhere;
}
form { margin-top: 16px; padding-top: 16px; border-top: 1px solid var(--line); }
label { display: block; margin-bottom: 4px; font-size: 13px; line-height: 20px; }
input, button {
  min-height: 36px;
  padding: 0 12px;
  border: 1px solid var(--edge);
  border-radius: 6px;
  background: var(--panel);
  color: inherit;
}
input { width: 100%; }
.actions { display: flex; gap: 8px; margin: 16px 0 0; }
button { flex: 1; font: inherit; cursor: pointer; }
button:hover { background: var(--raised); }
button[value=allow] { border-color: var(--accent); background: var(--accent); color: var(--panel); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
@media (max-width: 480px) { body { padding: 16px 16px 32px; } main { padding: 16px; } }
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
<code>${escapeHtml(redirectUri)}</code>.</p>
${problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<form method="post" autocomplete="off">
${members.join('\n')}
<p><label for="token">Your API token</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" autofocus></p>
<p class="hint">No token? Ask the operator of this service, or run <code>oqs token create --name me</code>.</p>
<p class="actions"><button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></p>
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

/** The mark of the explorer; part of the page, because the policy allows no images. */
const MARK =
  '<svg width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">' +
  '<path d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM16.5 13v7M13 16.5h7"/></svg>'

function layout(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="brand">${MARK} Objects</p>
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
