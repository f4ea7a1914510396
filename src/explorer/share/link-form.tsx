/** Creates a link that shows the view to people without a token. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { nameOf } from '../api/ontology.ts'
import { meQuery, messageOf, serviceUrl } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { Button, CopyButton, Mistake } from '../ui/controls.tsx'
import { FORM, SelectField, submits, TextField } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'
import { followsLinks, type TypeView } from '../view/type-view.ts'
import { linkAddress, linkRequests, shownProperties } from './view-link.ts'

const DAYS = [
  ['1', '1 day'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const

export function LinkForm({ of }: { readonly of: TypeView }) {
  const { service } = useSession()
  const { data: me } = useQuery(meQuery(service))
  const [name, setName] = useState(nameOf(of.objectType))
  const [days, setDays] = useState('7')
  const [address, setAddress] = useState<string>()
  const { run, isBusy, error } = useTask()
  const shown = shownProperties(of)
  const { filters, text, box, chart } = of.view
  const isFiltered = filters.length > 0 || text !== '' || box !== undefined
  const create = () =>
    run(async () => {
      const link = { name: name.trim(), createdBy: me?.name ?? '', days: Number(days) }
      const [policy, token] = linkRequests(of, link, crypto.randomUUID())
      await service.connection.send(policy)
      const created = await service.connection.send<{ readonly token: string }>(token)
      setAddress(serviceUrl() + linkAddress(of, created.token))
    })
  if (followsLinks(of)) {
    return (
      <p className="w-full pt-3 border-t border-t-line text-base leading-5">
        A read-only link cannot have a filter across a link to other objects. Save the view for
        everyone instead.
      </p>
    )
  }
  return (
    <form
      className={`${FORM} w-full pt-3 border-t border-t-line`}
      onSubmit={submits(create)}
      aria-label="Read-only link"
    >
      <p className="text-base leading-5">
        A read-only link shows {isFiltered ? 'the objects that match the filters' : 'all objects'}{' '}
        of {nameOf(of.objectType)},{' '}
        {shown === undefined ? 'with all properties' : `with ${shown.length} properties`}, to
        everyone who has it, without a token.
        {chart?.against !== undefined &&
          ' Its chart is compared with nothing, because others are not shown.'}
      </p>
      {address === undefined ? (
        <>
          <TextField label="Link for" value={name} required maxLength={100} onChange={setName} />
          <SelectField label="It works for" value={days} options={DAYS} onChange={setDays} />
          <Mistake>{error && messageOf(error)}</Mistake>
          <Button type="submit" className="justify-self-start" disabled={isBusy}>
            Create the link
          </Button>
        </>
      ) : (
        <>
          <p className="label" role="status">
            The link is shown once. To end it, revoke its token under Admin, API tokens.
          </p>
          <TextField label="Link" value={address} readOnly onChange={() => {}} />
          <CopyButton text={address} label="Copy the link" />
        </>
      )}
    </form>
  )
}
