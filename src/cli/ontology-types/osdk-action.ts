/** Writes the definition of an action for `@osdk/client`. */

import { literal, memberName } from '../../contract/typescript-names.ts'
import { docComment } from './code-parts.ts'
import { type ActionDataType, sortedEntries, type WireAction } from './full-metadata.ts'
import { indentOf, type OsdkNames, objectLiteral, optionalLiteral } from './osdk-text.ts'

/** Types of parameters that `@osdk/client` calls by another name, or does not know. */
const PARAMETER_TYPES: Readonly<Record<string, string>> = {
  date: 'datetime',
  byte: 'integer',
  short: 'integer',
  float: 'double',
  decimal: 'string',
  geopoint: 'geohash',
}

export function writeAction(action: WireAction, names: OsdkNames): string {
  const { apiName } = action
  const name = names.actions.get(apiName) ?? ''
  const parameters = sortedEntries(action.parameters).map((parameter) => {
    const { dataType } = parameter
    const isMany = dataType.type === 'array'
    const type = parameterType((isMany ? dataType.subType : undefined) ?? dataType, names)
    return { ...parameter, ...type, isMany }
  })
  const params = parameters.map(
    ({ apiName: member, description, required, isMany, value }) =>
      docComment([description], '    ') +
      `    readonly ${memberName(member)}${required ? '' : '?'}: ${isMany ? `ReadonlyArray<${value}>` : value}\n`,
  )
  const definitions = parameters.map((parameter): [string, string] => [
    parameter.apiName,
    objectLiteral([
      ['description', optionalLiteral(parameter.description)],
      ['multiplicity', String(parameter.isMany)],
      ['nullable', String(!parameter.required)],
      ['type', parameter.metadata],
    ]),
  ])
  const metadata: [string, string][] = [
    ['apiName', literal(apiName)],
    ...(action.description === undefined
      ? []
      : [['description', literal(action.description)] as [string, string]]),
    ['displayName', literal(action.displayName ?? apiName)],
    ['modifiedEntities', objectLiteral(modifiedObjects(action))],
    ['parameters', `${name}.ParamsDefinition`],
    ['rid', literal(action.rid)],
    ['status', literal(action.status)],
    ['type', literal('action')],
    ['unsanitizedApiName', literal(apiName)],
    ['signatures', `${name}.Signatures`],
  ]
  return [
    `export namespace ${name} {\n`,
    `  export type ParamsDefinition = ${indentOf(objectLiteral(definitions))}\n\n`,
    `  export interface Params {\n${params.join('')}  }\n\n`,
    '  export interface Signatures {\n',
    '    applyAction<Options extends $ApplyActionOptions>(\n',
    `      args: ${name}.Params,\n`,
    '      options?: Options,\n',
    '    ): Promise<$ActionReturnTypeForOptions<Options>>\n',
    '    batchApplyAction<Options extends $ApplyBatchActionOptions>(\n',
    `      args: ReadonlyArray<${name}.Params>,\n`,
    '      options?: Options,\n',
    '    ): Promise<$ActionReturnTypeForOptions<Options>>\n',
    '  }\n}\n\n',
    docComment([action.displayName, action.description]),
    `export interface ${name} extends $ActionDefinition<${name}.Signatures> {\n`,
    `  __DefinitionMetadata?: ${indentOf(objectLiteral(metadata))}\n`,
    `  apiName: ${literal(apiName)}\n`,
    `  type: 'action'\n`,
    `  unsanitizedApiName: ${literal(apiName)}\n`,
    '  osdkMetadata: typeof $osdkMetadata\n}\n\n',
    `export const ${name}: ${name} = {\n`,
    `  apiName: ${literal(apiName)},\n`,
    `  type: 'action',\n`,
    `  unsanitizedApiName: ${literal(apiName)},\n`,
    '  osdkMetadata: $osdkMetadata,\n}\n',
  ].join('')
}

/** Returns what an action does to each object type; deleted objects are not listed. */
function modifiedObjects({ operations }: WireAction): [string, string][] {
  const names = new Set(operations.flatMap(({ objectTypeApiName = [] }) => objectTypeApiName))
  return [...names].toSorted().flatMap((objectType): [string, string][] => {
    const done = operations
      .filter((operation) => operation.objectTypeApiName === objectType)
      .map(({ type }) => type)
    const isBoth = done.includes('createOrModifyObject')
    const isCreated = isBoth || done.includes('createObject')
    const isModified = isBoth || done.includes('modifyObject')
    if (!isCreated && !isModified) return []
    return [[objectType, `{ created: ${isCreated}; modified: ${isModified} }`]]
  })
}

/** Writes the type of a parameter as a value, and in the metadata. */
function parameterType(dataType: ActionDataType, names: OsdkNames) {
  const { type, objectTypeApiName, objectApiName = '', interfaceTypeApiName = '' } = dataType
  // A type that `@osdk/client` does not support has no constant.
  const object = names.objectTypes.get(objectTypeApiName ?? objectApiName) ?? 'never'
  switch (type) {
    case 'object':
      return targetType('Object', object)
    case 'objectSet':
      return targetType('ObjectSet', object)
    case 'interfaceObject':
      return targetType('Interface', names.interfaces.get(interfaceTypeApiName) ?? 'never')
    case 'struct': {
      const fields = (dataType.fields ?? []).map(({ name, fieldType }) => {
        // `@osdk/client` has no types for the fields of a struct that are structs or arrays.
        const isNested = fieldType.type === 'struct' || fieldType.type === 'array'
        const scalar = scalarType(fieldType.type)
        const { value, metadata } = isNested ? { value: 'unknown', metadata: 'never' } : scalar
        const member = memberName(name)
        return { value: `readonly ${member}: ${value}`, metadata: `${member}: ${metadata}` }
      })
      const list = (part: 'value' | 'metadata') => fields.map((field) => field[part]).join('; ')
      return {
        value: `{ ${list('value')} }`,
        metadata: `$ActionMetadata.DataType.Struct<{ ${list('metadata')} }>`,
      }
    }
    default:
      return scalarType(type)
  }
}

function targetType(kind: string, target: string) {
  return {
    value: `$ActionParam.${kind}Type<${target}>`,
    metadata: `$ActionMetadata.DataType.${kind}<${target}>`,
  }
}

function scalarType(type: string) {
  const metadata = literal(PARAMETER_TYPES[type] ?? type)
  return { value: `$ActionParam.PrimitiveType<${metadata}>`, metadata }
}
