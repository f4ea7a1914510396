import { expect } from 'vitest'

/** Names of files with a hash, as the build writes them into pages, scripts and styles. */
const ASSET = /[\w.-]+-[\w-]{8}\.(?:js|css|woff2)/g

/** Requests every file of the explorer, from its page on; returns their names. */
export async function requestAssets(url: string): Promise<readonly string[]> {
  const page = await read(`${url}/`)
  expect(await read(`${url}/admin`)).toBe(page)
  const names = new Set(page.match(ASSET))
  // The loop also visits the names that it adds.
  for (const name of names) {
    const text = await read(`${url}/assets/${name}`)
    for (const other of text.match(ASSET) ?? []) names.add(other)
  }
  return [...names]
}

async function read(address: string): Promise<string> {
  const response = await fetch(address)
  expect([address, response.status]).toEqual([address, 200])
  return response.text()
}
