import { Fragment, type ReactNode } from 'react'

/** Only these schemes: others, such as `javascript`, may run code. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"']+/g
/** Marks that end a sentence or a bracket around an address. */
const TRAILING = /[.,;:!?)\]}]+$/

/** A text whose web addresses are links. */
export function LinkedText({ text, tabIndex }: { readonly text: string; readonly tabIndex?: -1 }) {
  // Most texts have none.
  if (!text.includes('://')) return text
  const parts: ReactNode[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = found.replace(TRAILING, '')
    if (!URL.canParse(address)) continue
    parts.push(text.slice(end, index))
    parts.push(
      <a key={index} href={address} target="_blank" rel="noopener noreferrer" tabIndex={tabIndex}>
        {address}
      </a>,
    )
    end = index + address.length
  }
  return <Fragment>{[...parts, text.slice(end)]}</Fragment>
}
