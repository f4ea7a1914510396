/** The keys of the explorer. Opens with a question mark. */
import { useEffect, useRef } from 'react'
import styles from './palette.module.css'

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['Ctrl K or ⌘ K', 'Go to a type'],
  ['Arrows, Home, End, Page Up, Page Down', 'Move in the table; with Ctrl to its ends'],
  ['Enter', 'Open the object'],
  ['Space', 'Look at the object beside the table'],
  ['=', 'Show only objects with this value'],
  ['-', 'Leave out objects with this value'],
  ['/', 'Search all texts'],
  ['s', 'Switch between latest and snapshot'],
  ['r', 'Show the request'],
  ['?', 'This list'],
  ['Escape', 'Close'],
]

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== '?' || isTyping(event)) return
      event.preventDefault()
      dialog.current?.showModal()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return (
    <dialog ref={dialog} className={styles.dialog} aria-label="Keys">
      <dl className={styles.keys}>
        {KEYS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt className="mono">{keys}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  )
}

/** True if a key belongs to a text that is being written. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return true
  return target instanceof HTMLElement && target.matches('input, select, textarea')
}
