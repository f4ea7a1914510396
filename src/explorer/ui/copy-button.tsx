import { useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

const SHOWN_MS = 1500

/** Copies a text, and says so for a moment. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string
  readonly label?: string
}) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <Button onClick={() => void copy()}>
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  )
}
