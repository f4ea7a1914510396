/** One value, readable whatever its type. */

import { useState } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import { type PropertyType, wordsOf } from '../api/ontology.ts'
import { fieldStyle, formatValue, localTime, type NumberStyle } from '../ui/format-value.ts'
import { LinkedText } from '../ui/linked-text.tsx'

/** Longer texts are folded. */
const FOLDED_FROM = 400
const FOLDED_TO = 280
/** Longer arrays are folded. */
const ITEMS_FROM = 12
const ITEMS_TO = 8

type Struct = Extract<PropertyType, { readonly type: 'struct' }>

interface ValueProps {
  readonly value: unknown
  readonly type: PropertyType
  readonly style?: NumberStyle
}

export function Value({ value, type, style = 'auto' }: ValueProps) {
  if (value === undefined || value === null) return <span className="text-muted">–</span>
  if (type.type === 'array') {
    return <Items values={value as readonly unknown[]} type={type.items} style={style} />
  }
  if (type.type === 'struct') return <Fields value={value as Values} type={type} />
  const text = formatValue(value, type, style) ?? ''
  if (type.type === 'timestamp') {
    return (
      <time dateTime={String(value)} title={`Local time: ${localTime(String(value)) ?? ''}`}>
        {text}
      </time>
    )
  }
  return <LongText text={text} />
}

function LongText({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false)
  const isLong = text.length > FOLDED_FROM
  return (
    <>
      <span className="whitespace-pre-wrap wrap-anywhere">
        {isLong && !isOpen ? `${text.slice(0, FOLDED_TO)}…` : <LinkedText text={text} />}
      </span>
      {isLong && ' '}
      {isLong && (
        <Unfold isOpen={isOpen} onOpen={setOpen} what={`${formatCount(text.length)} characters`} />
      )}
    </>
  )
}

function Unfold(props: {
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly what: string
}) {
  return (
    <button
      type="button"
      className="p-0 border-0 bg-transparent text-accent text-sm cursor-pointer hover:underline"
      aria-expanded={props.isOpen}
      onClick={() => props.onOpen(!props.isOpen)}
    >
      {props.isOpen ? 'Show less' : `Show all ${props.what}`}
    </button>
  )
}

type Values = Readonly<Record<string, unknown>>

interface ItemsProps {
  readonly values: readonly unknown[]
  readonly type: PropertyType
  readonly style: NumberStyle
}

function Items({ values, type, style }: ItemsProps) {
  const [isOpen, setOpen] = useState(false)
  if (values.length === 0) return <span className="text-muted">empty list</span>
  const isLong = values.length > ITEMS_FROM
  const shown = isLong && !isOpen ? values.slice(0, ITEMS_TO) : values
  return (
    <>
      {type.type === 'struct' ? (
        <StructTable values={shown as readonly Values[]} type={type} />
      ) : (
        <ul className="flex flex-wrap gap-1 m-0 p-0 list-none">
          {shown.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: elements have no identity of their own
            <li key={index} className="px-2 rounded-md bg-raised">
              <Value value={item} type={type} style={style} />
            </li>
          ))}
        </ul>
      )}
      {isLong && (
        <Unfold isOpen={isOpen} onOpen={setOpen} what={`${formatCount(values.length)} values`} />
      )}
    </>
  )
}

/** Structs of a list have the same fields, so they are read best as a table. */
function StructTable(props: { readonly values: readonly Values[]; readonly type: Struct }) {
  const fields = Object.entries(props.type.fields)
  return (
    <div className="overflow-x-auto">
      <table className="border-collapse">
        <thead>
          <tr>
            {fields.map(([name]) => (
              <th
                key={name}
                scope="col"
                className="label pr-4 pb-0.5 pl-0 pt-0 font-normal text-left"
              >
                {wordsOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.values.map((value, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: elements have no identity of their own
            <tr key={index}>
              {fields.map(([name, field]) => (
                <td key={name} className="py-0 pr-4 pl-0 align-top">
                  <Value value={value[name]} type={field} style={fieldStyle(name)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Fields({ value, type }: { readonly value: Values; readonly type: Struct }) {
  return (
    <dl className="grid gap-0.5 m-0">
      {Object.entries(type.fields).map(([name, field]) => (
        <div key={name} className="grid grid-cols-[minmax(60px,auto)_1fr] gap-2 items-baseline">
          <dt className="label">{wordsOf(name)}</dt>
          <dd className="m-0">
            <Value value={value[name]} type={field} style={fieldStyle(name)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
