/** The style and the script of the API reference, which are inline so that it is one response. */

export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --strong: light-dark(#0b5394, #8ab8f0) }
body { background: light-dark(#fff, #17191c); color: light-dark(#111, #e8e8e8); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 64rem; padding: 1rem }
a { color: var(--strong) }
nav a { display: inline-block; padding: .25rem .5rem .25rem 0 }
input { font: inherit; padding: .25rem .5rem; width: min(24rem, 60vw) }
section { content-visibility: auto; contain-intrinsic-size: auto 60rem }
section:not(:has(details:not([hidden]))) { display: none }
details { border-top: 1px solid var(--line) }
summary { cursor: pointer; overflow-wrap: anywhere; padding: .5rem 0 }
summary span { display: block }
summary b { color: var(--strong) }
code, pre, dt { font: .875rem/1.5 ui-monospace, monospace }
pre { background: var(--soft); margin: .5rem 0; overflow-wrap: anywhere; padding: .75rem; white-space: pre-wrap }
pre i { font-style: normal; opacity: .8 }
div { position: relative }
button { font: inherit; font-size: .875rem; position: absolute; right: .5rem; top: .5rem }
dd { margin: 0 0 .5rem 1rem }
dd p { margin: 0 }
h3 { font-size: 1rem; margin: 1rem 0 0 }
`

export const SCRIPT = `
const entries = [...document.querySelectorAll('details')]
const input = document.querySelector('input'), output = document.querySelector('output'), texts = new Map()
const textOf = (entry) => {
  if (!texts.has(entry)) texts.set(entry, (entry.id + ' ' + entry.textContent).toLowerCase())
  return texts.get(entry)
}
input.addEventListener('input', () => {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const entry of entries) entry.hidden = !words.every((word) => textOf(entry).includes(word))
  output.textContent = words.length === 0 ? '' : entries.filter(({ hidden }) => !hidden).length + ' found'
})
const openNamed = () => {
  const entry = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (entry?.tagName !== 'DETAILS') return
  entry.hidden = false
  entry.open = true
  entry.scrollIntoView()
}
addEventListener('hashchange', openNamed)
openNamed()
document.addEventListener('click', ({ target }) => {
  if (target.tagName !== 'BUTTON') return
  // Unlike navigator.clipboard, this works over plain HTTP as well.
  getSelection().selectAllChildren(target.nextElementSibling)
  if (!document.execCommand('copy')) return
  target.textContent = 'Copied'
  setTimeout(() => { target.textContent = 'Copy' }, 2000)
})
`
