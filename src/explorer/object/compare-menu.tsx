import { useState } from 'react'
import { messageOf } from '../api/service.ts'
import { type ObjectAddress, readState } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/fields.tsx'
import { Popup } from '../ui/popup.tsx'
import type { SetObjectView } from '../view/object-address.ts'

export interface CompareMenuProps {
  readonly address: ObjectAddress
  readonly setView: SetObjectView
}

export function CompareMenu({ address, setView }: CompareMenuProps) {
  return (
    <Popup label="Compare" panelLabel="Compare this object">
      {(close) => (
        <CompareForm
          address={address}
          setView={(change) => {
            close()
            setView(change)
          }}
        />
      )}
    </Popup>
  )
}

function CompareForm({ address, setView }: CompareMenuProps) {
  const { service } = useSession()
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const takeSnapshot = async () => {
    try {
      const { version } = await readState(service, address, undefined)
      setView({ version, with: undefined, isJson: false })
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <form
      className="grid gap-3 w-[min(320px,90vw)] p-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (key !== '') setView({ with: key, version: undefined, isJson: false })
      }}
    >
      <TextField label="Key of another object" value={key} onChange={setKey} required />
      <Button type="submit" kind="primary">
        Compare both objects
      </Button>
      <hr className="w-full m-0 border-0 border-t border-t-line" />
      <p className="text-muted text-base leading-5">
        A snapshot keeps the state of now for an hour. The address then shows what changed since.
      </p>
      <Button onClick={() => void takeSnapshot()}>Take a snapshot</Button>
      {problem !== undefined && (
        <p role="alert" className="text-muted text-base leading-5">
          {problem}
        </p>
      )}
    </form>
  )
}
