/** Requests of the browser session: the browser adds its cookie, which counts with this header only. */
export const sessionFetch: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers)
  headers.set('oqs-session', 'explorer')
  return fetch(url, { ...init, headers, credentials: 'same-origin' })
}
