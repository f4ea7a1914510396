/** The keys of the explorer. Opens with a question mark. */
import { useState } from 'react'
import { useActions } from '../ui/actions.tsx'
import { DialogFrame, DialogHead } from '../ui/dialog.tsx'
import { CheckField } from '../ui/fields.tsx'
import { areLettersOn, switchLetters, useKeys } from '../ui/hooks.ts'

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['Ctrl K or ⌘ K', 'Find types, properties, views and actions'],
  ['Arrows, Home, End, Page Up, Page Down', 'Move in the table; with Ctrl to its ends'],
  [
    'Arrow up in the first row',
    'Go to the names and menus of the columns; Shift with arrows resizes',
  ],
  ['Enter', 'Open the object; in a foreign key, the linked one'],
  ['Space', 'Look at the object beside the table; the arrows lead on to the next'],
  ['=', 'Show only objects with this value'],
  ['-', 'Leave out objects with this value'],
  ['o', 'Order by this column'],
  ['Shift with arrows, Home, End', 'Select cells'],
  ['Ctrl C', 'Copy the cell, or the selected ones'],
  ['Ctrl F', 'Find in the rows that were read'],
  ['/', 'Search all texts'],
  ['f', 'Add a filter'],
  ['c', 'Choose columns'],
  ['s', 'Switch between latest and snapshot'],
  ['r', 'Show the request'],
  ['[ and ]', 'Previous and next object of the list'],
  ['?', 'This list'],
  ['Escape', 'Close, also the panel beside the table'],
]

export function Help() {
  const [isOpen, setOpen] = useState(false)
  const [areOn, setOn] = useState(areLettersOn)
  const open = () => setOpen(true)
  useKeys({ '?': open })
  useActions([{ name: 'Show the keys', run: open }])
  if (!isOpen) return null
  return (
    <DialogFrame label="Keys" width={520} className="m-auto" onClose={() => setOpen(false)}>
      <DialogHead title="Keys" />
      <div className="px-5 pt-4 text-base">
        {/* First, because the dialog scrolls to what takes the focus. */}
        <CheckField
          label="Use the keys that are single characters"
          isOn={areOn}
          onChange={(isOn) => {
            switchLetters(isOn)
            setOn(isOn)
          }}
        />
      </div>
      <dl className="grid gap-1.5 m-0 py-4 px-5">
        {KEYS.map(([keys, meaning]) => (
          <div key={keys} className="grid grid-cols-2 gap-3">
            <dt className="mono">{keys}</dt>
            <dd className="m-0">{meaning}</dd>
          </div>
        ))}
      </dl>
    </DialogFrame>
  )
}
