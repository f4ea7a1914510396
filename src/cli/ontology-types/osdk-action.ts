/** Writes the definition of an action for `@osdk/client`. */
import { docComment, literal, memberName } from './identifiers.ts'
import type { ActionModel } from './model-of-metadata.ts'
import { indentOf, type OsdkNames, objectLiteral } from './osdk-text.ts'
import type { ParameterTypeModel } from './types-model.ts'

/** Types of parameters that `@osdk/client` calls by another name, or does not know. */
const PARAMETER_TYPES: Readonly<Record<string, string>> = {
  date: 'datetime',
  byte: 'integer',
  short: 'integer',
  float: 'double',
  decimal: 'string',
  geopoint: 'geohash',
}

export function writeAction(action: ActionModel, names: OsdkNames): string {
  const { apiName } = action
  const name = names.actions.get(apiName) ?? ''
  const params = action.parameters.map((parameter) => writeParameter(parameter, names))
  const definitions = action.parameters.map((parameter): [string, string] => [
    parameter.apiName,
    objectLiteral([
      [
        'description',
        parameter.description === undefined ? 'undefined' : literal(parameter.description),
      ],
      ['multiplicity', String(parameter.isMany)],
      ['nullable', String(!parameter.isRequired)],
      ['type', metadataType(parameter.type, names)],
    ]),
  ])
  const metadata: [string, string][] = [
    ['apiName', literal(apiName)],
    ...(action.description === undefined
      ? []
      : [['description', literal(action.description)] as [string, string]]),
    ['displayName', literal(action.displayName ?? apiName)],
    [
      'modifiedEntities',
      objectLiteral(
        action.modified.map(({ objectType, isCreated, isModified }) => [
          objectType,
          `{ created: ${isCreated}; modified: ${isModified} }`,
        ]),
      ),
    ],
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

function writeParameter(parameter: ActionModel['parameters'][number], names: OsdkNames): string {
  const { apiName, description, isRequired, isMany } = parameter
  const value = tsValue(parameter.type, names)
  return (
    docComment([description], '    ') +
    `    readonly ${memberName(apiName)}${isRequired ? '' : '?'}: ${isMany ? `ReadonlyArray<${value}>` : value}\n`
  )
}

function tsValue(type: ParameterTypeModel, names: OsdkNames): string {
  switch (type.kind) {
    case 'scalar':
      return `$ActionParam.PrimitiveType<${literal(parameterType(type.type))}>`
    case 'object':
      return `$ActionParam.ObjectType<${targetOf(type.target, names.objectTypes)}>`
    case 'objectSet':
      return `$ActionParam.ObjectSetType<${targetOf(type.target, names.objectTypes)}>`
    case 'interface':
      return `$ActionParam.InterfaceType<${targetOf(type.target, names.interfaces)}>`
    case 'struct':
      return `{ ${type.fields
        .map(
          (field) =>
            `readonly ${memberName(field.apiName)}: ${isNested(field.type) ? 'unknown' : `$ActionParam.PrimitiveType<${literal(parameterType(field.type))}>`}`,
        )
        .join('; ')} }`
  }
}

function metadataType(type: ParameterTypeModel, names: OsdkNames): string {
  switch (type.kind) {
    case 'scalar':
      return literal(parameterType(type.type))
    case 'object':
      return `$ActionMetadata.DataType.Object<${targetOf(type.target, names.objectTypes)}>`
    case 'objectSet':
      return `$ActionMetadata.DataType.ObjectSet<${targetOf(type.target, names.objectTypes)}>`
    case 'interface':
      return `$ActionMetadata.DataType.Interface<${targetOf(type.target, names.interfaces)}>`
    case 'struct':
      return `$ActionMetadata.DataType.Struct<{ ${type.fields
        .map(
          (field) =>
            `${memberName(field.apiName)}: ${isNested(field.type) ? 'never' : literal(parameterType(field.type))}`,
        )
        .join('; ')} }>`
  }
}

/** `@osdk/client` has no types for the fields of a struct that are structs or arrays. */
function isNested(type: string): boolean {
  return type === 'struct' || type === 'array'
}

function parameterType(type: string): string {
  return PARAMETER_TYPES[type] ?? type
}

/** A type that `@osdk/client` does not support has no constant. */
function targetOf(target: string, names: ReadonlyMap<string, string>): string {
  return names.get(target) ?? 'never'
}
