/** The fields of one condition: a property, which links may lead to, an operator and values. */
import {
  findType,
  linksOf,
  nameOfProperty,
  type ObjectTypeDefinition,
  wordsOf,
} from '../api/ontology.ts'
import { type Options, SelectField } from '../ui/fields.tsx'
import { fieldAt, type ShownType, scalarIn } from '../view/field-at.ts'
import {
  type Condition,
  isList,
  needsValue,
  type Operator,
  valuesOf,
  writeList,
} from '../view/filters.ts'
import { operatorName, operatorsOf } from '../view/operators.ts'
import type { TypeView } from '../view/type-view.ts'
import { inputOf } from './filter-input.ts'
import { type DayEdge, momentOf, periodsAt } from './periods.ts'
import { ListField, ValueField } from './value-fields.tsx'

interface ConditionFieldsProps {
  readonly of: TypeView
  readonly canCount: boolean
  readonly condition: Condition
  /** True if the field for the value takes the focus. */
  readonly takesFocus: boolean
  readonly onChange: (condition: Condition) => void
}

export function ConditionFields(props: ConditionFieldsProps) {
  const { of, canCount, condition, takesFocus, onChange } = props
  const { field: path, operator } = condition
  const field = fieldAt(of, path)
  const values = valuesOf(condition)
  const shared = { of, path, canCount }
  const setValues = (next: readonly string[]) => onChange({ ...condition, value: writeList(next) })
  return (
    <>
      <FieldSelects of={of} path={path} onChange={(next) => onChange(newCondition(of, next))} />
      <SelectField
        label="Condition"
        value={operator}
        options={operatorsOf(field?.type).map((name) => [name, operatorName(name, field)])}
        onChange={(name) => onChange(withOperator(condition, name as Operator))}
      />
      <PeriodField of={of} condition={condition} onChange={onChange} />
      {needsValue(operator) && !isList(operator) && (
        <ValueField
          {...shared}
          edge={EDGES[operator]}
          label="Value"
          value={condition.value}
          takesFocus={takesFocus}
          onChange={(value) => onChange({ ...condition, value })}
        />
      )}
      {operator === 'between' &&
        ['From', 'To'].map((label, at) => (
          <ValueField
            {...shared}
            key={label}
            label={label}
            edge={at === 0 ? 'start' : 'end'}
            value={values[at] ?? ''}
            takesFocus={takesFocus && at === 0}
            onChange={(value) =>
              setValues(at === 0 ? [value, values[1] ?? ''] : [values[0] ?? '', value])
            }
          />
        ))}
      {isList(operator) && operator !== 'between' && (
        <ListField {...shared} values={values} takesFocus={takesFocus} onChange={setValues} />
      )}
    </>
  )
}

/** The moment that a day means: an upper bound includes the whole day. */
const EDGES: Readonly<Partial<Record<Operator, DayEdge>>> = { lte: 'end', gt: 'end' }

interface PeriodFieldProps extends Pick<ConditionFieldsProps, 'of' | 'condition' | 'onChange'> {}

/** Periods that have a name, for properties that are dates or moments. */
function PeriodField({ of, condition, onChange }: PeriodFieldProps) {
  const type = fieldAt(of, condition.field)?.type
  const { kind } = inputOf(scalarIn(type))
  if ((kind !== 'date' && kind !== 'timestamp') || type?.type === 'array') return null
  const periods = periodsAt(new Date()).map(({ name, from, to }) => {
    const bounds = kind === 'date' ? [from, to] : [momentOf(from, 'start'), momentOf(to, 'end')]
    return [writeList(bounds), name] as const
  })
  const isNamed =
    condition.operator === 'between' && periods.some(([value]) => value === condition.value)
  return (
    <SelectField
      label="Period"
      value={isNamed ? condition.value : ''}
      options={[['', 'custom'], ...periods]}
      onChange={(value) => onChange({ field: condition.field, operator: 'between', value })}
    />
  )
}

/** Keeps what was written where the other operator can use it. */
function withOperator(condition: Condition, operator: Operator): Condition {
  const values = valuesOf(condition).filter((value) => value !== '')
  const value = isList(operator) ? writeList(values) : (values[0] ?? '')
  return { field: condition.field, operator, value: needsValue(operator) ? value : '' }
}

/** Returns the condition that an editor starts with. */
export function newCondition(
  of: ShownType,
  path = Object.keys(of.objectType.properties)[0] ?? '',
): Condition {
  const type = fieldAt(of, path)?.type
  const [operator = 'filled'] = operatorsOf(type)
  const isBoolean = inputOf(scalarIn(type)).kind === 'boolean'
  return { field: path, operator, value: isBoolean && needsValue(operator) ? 'true' : '' }
}

export function isComplete(condition: Condition): boolean {
  const { operator, value } = condition
  if (!needsValue(operator)) return true
  return operator === 'between' ? valuesOf(condition).some(Boolean) : value.trim() !== ''
}

interface FieldSelectsProps {
  readonly of: ShownType
  readonly path: string
  /** The link that leads to the type. */
  readonly link?: string
  readonly onChange: (path: string) => void
}

/** A property; behind a link, one of the linked type, and so on. */
function FieldSelects({ of, path, link, onChange }: FieldSelectsProps) {
  const { ontology, objectType } = of
  const links = linksOf(ontology, objectType.apiName).flatMap(({ apiName, target: name }) => {
    const target = findType(ontology, name)
    return target === undefined ? [] : [{ apiName, target }]
  })
  const isLink = path !== '' && (fieldAt(of, path)?.links.length ?? 0) > 0
  const [name = ''] = path.split('/')
  const followed = isLink ? links.find(({ apiName }) => apiName === name) : undefined
  const choose = (chosen: string) => {
    const next = links.find(({ apiName }) => chosen === `${apiName}/`)
    onChange(next === undefined ? chosen : chosen + firstProperty(next.target))
  }
  return (
    <>
      <SelectField
        label={link === undefined ? 'Property' : `Of ${wordsOf(link).toLowerCase()}`}
        value={followed === undefined ? path : `${name}/`}
        options={[
          ...(link === undefined ? [] : [['', 'whether there is one'] as const]),
          ...propertyOptions(objectType),
          ...links.map(({ apiName }) => [`${apiName}/`, `${wordsOf(apiName)} ›`] as const),
        ]}
        onChange={choose}
      />
      {followed !== undefined && (
        <FieldSelects
          of={{ ontology, objectType: followed.target }}
          link={name}
          path={path.slice(name.length + 1)}
          onChange={(inner) => onChange(inner === '' ? name : `${name}/${inner}`)}
        />
      )}
    </>
  )
}

/** Properties and the fields of structs, by name. */
function propertyOptions({ properties }: ObjectTypeDefinition): Options {
  return Object.entries(properties).flatMap(([name, definition]) => {
    const text = nameOfProperty(name, definition)
    const element = definition.type === 'array' ? definition.items : definition
    const fields = element.type === 'struct' ? Object.keys(element.fields) : []
    return [
      [name, text] as const,
      ...fields.map((field) => [`${name}/${field}`, `${text} › ${wordsOf(field)}`] as const),
    ]
  })
}

/** The title says most about an object. */
function firstProperty({ titleProperty, primaryKey }: ObjectTypeDefinition): string {
  return titleProperty ?? primaryKey
}
