/** The search of the site: it loads its index when somebody first searches. */
const SHOWN = 12

const root = document.querySelector('script[data-root]').dataset.root
const form = document.querySelector('form[role=search]')
const input = form.querySelector('input')
const list = form.querySelector('ol')

let loaded

async function loadIndex() {
  const [{ default: MiniSearch }, response] = await Promise.all([
    import(new URL('minisearch.js', import.meta.url)),
    fetch(`${root}search-index.json`),
  ])
  const { options, index } = await response.json()
  return MiniSearch.loadJS(index, options)
}

async function search() {
  loaded ??= loadIndex()
  const index = await loaded
  const hits = index.search(input.value).slice(0, SHOWN)
  list.replaceChildren(...hits.map(itemOf))
  if (hits.length === 0 && input.value !== '') list.append('Nothing found.')
  list.hidden = input.value === ''
}

function itemOf({ id, page, title }) {
  const link = document.createElement('a')
  link.href = root + id
  link.append(title)
  const small = document.createElement('small')
  small.append(page)
  if (page !== title) link.append(small)
  const item = document.createElement('li')
  item.append(link)
  return item
}

input.addEventListener('input', search)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  list.querySelector('a')?.click()
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') list.hidden = true
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault()
    input.focus()
  }
})
document.addEventListener('click', ({ target }) => {
  if (!form.contains(target)) list.hidden = true
})
