/** Writes the definitions that `@osdk/client` takes: a constant and its types for each type. */
import { Identifiers, literal, memberName } from '../../contract/typescript-names.ts'
import { docComment, writeType } from './code-parts.ts'
import {
  byApiName,
  type FullMetadata,
  type FullObjectType,
  sortedEntries,
  type WireInterface,
  type WireProperty,
} from './full-metadata.ts'
import { writeAction } from './osdk-action.ts'
import {
  indentOf,
  type Members,
  type OsdkNames,
  objectLiteral,
  optionalLiteral,
  PROPERTY_VALUE,
  propertyDefinition,
  sdkType,
  textList,
} from './osdk-text.ts'

/** Names that the generated file imports from `@osdk/client`. */
const IMPORTS = [
  'ActionDefinition',
  'ActionMetadata',
  'ActionParam',
  'ActionReturnTypeForOptions',
  'ApplyActionOptions',
  'ApplyBatchActionOptions',
  'InterfaceDefinition',
  'InterfaceMetadata',
  'ObjectMetadata',
  'ObjectSet',
  'ObjectTypeDefinition',
  'Osdk',
  'PropertyDef',
  'PropertyValueWireToClient',
  'SingleLinkAccessor',
]

/** Key types that `@osdk/client` supports. */
const KEY_TYPES = ['string', 'date', 'double', 'integer', 'timestamp', 'short', 'long', 'byte']

export interface OsdkOptions {
  /** The version of this program, which requests name. */
  readonly version: string
}

export function writeOsdkTypes(metadata: FullMetadata, { version }: OsdkOptions): string {
  const all = sortedEntries(metadata.objectTypes)
  const objectTypes = all.filter(hasSupportedKey)
  const omitted = all.filter((type) => !hasSupportedKey(type))
  const interfaces = sortedEntries(metadata.interfaceTypes)
  const actions = sortedEntries(metadata.actionTypes)
  const identifiers = new Identifiers([])
  const nameEach = (types: readonly { readonly apiName: string }[]) =>
    new Map(types.map(({ apiName }) => [apiName, identifiers.constantName(apiName)]))
  const names: OsdkNames = {
    objectTypes: nameEach(objectTypes),
    interfaces: nameEach(interfaces),
    actions: nameEach(actions),
  }
  const body = [
    ...omitted.map(
      ({ apiName }) =>
        `// ${apiName} is omitted: @osdk/client does not support the type of its primary key.\n`,
    ),
    ...objectTypes.map((type) => writeObjectType(type, names)),
    ...interfaces.map((type) => writeInterface(type, names)),
    ...actions.map((action) => writeAction(action, names)),
  ].join('\n')
  const used = IMPORTS.filter((name) => body.includes(`$${name}`))
  const { apiName, description, rid } = metadata.ontology
  return [
    '// Written by `oqs ontology types --for osdk`. Changes are lost when it runs again.\n',
    used.length === 0
      ? ''
      : `import type {\n${used.map((name) => `  ${name} as $${name},\n`).join('')}} from '@osdk/client'\n\n`,
    docComment([`The RID of the ontology ${apiName}.`, description]),
    `export const $ontologyRid = ${literal(rid)}\n\n`,
    `export const $osdkMetadata = { extraUserAgent: ${literal(`oqs-ontology-types/${version}`)} }\n\n`,
    body,
  ].join('')
}

function hasSupportedKey({ objectType: { properties, primaryKey } }: FullObjectType): boolean {
  return KEY_TYPES.includes(properties[primaryKey]?.dataType.type ?? '')
}

function writeObjectType({ objectType, ...type }: FullObjectType, names: OsdkNames): string {
  const { apiName, primaryKey, icon, displayName, description } = objectType
  const key = objectType.properties[primaryKey]?.dataType.type ?? ''
  const interfaces = sortedEntries(type.implementsInterfaces2).filter((one) =>
    names.interfaces.has(one.apiName),
  )
  const mapped = (toMember: (pair: readonly [string, string]) => readonly [string, string]) =>
    objectLiteral(
      interfaces.map(({ apiName: name, properties = {} }) => {
        const pairs = Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1))
        return [name, objectLiteral(pairs.map(toMember))]
      }),
    )
  const keyMembers: Members = [
    ['primaryKeyApiName', literal(primaryKey)],
    ['primaryKeyType', literal(sdkType(key))],
  ]
  const about = displayName === apiName ? undefined : displayName
  return writeEntity(objectType, names, {
    kind: 'object',
    name: names.objectTypes.get(apiName) ?? '',
    base: '$ObjectTypeDefinition',
    about: docComment([about, description]),
    primaryKey,
    definition: keyMembers,
    properties: objectType.properties,
    links: type.linkTypes.map((link) => ({ ...link, target: link.objectTypeApiName })),
    metadata: [
      [
        'icon',
        objectLiteral([
          ['type', literal('blueprint')],
          ['name', literal(icon.name)],
          ['color', literal(icon.color)],
        ]),
      ],
      ['implements', textList(interfaces.map((one) => one.apiName))],
      ['interfaceMap', mapped(([shared, local]) => [shared, literal(local)])],
      ['inverseInterfaceMap', mapped(([shared, local]) => [local, literal(shared)])],
      ['pluralDisplayName', literal(objectType.pluralDisplayName)],
      ...keyMembers,
      ['status', literal('ACTIVE')],
      ['titleProperty', literal(objectType.titleProperty)],
      ['visibility', literal('NORMAL')],
    ],
  })
}

function writeInterface(type: WireInterface, names: OsdkNames): string {
  const extended = type.allExtendsInterfaces ?? type.extendsInterfaces ?? []
  return writeEntity(type, names, {
    kind: 'interface',
    name: names.interfaces.get(type.apiName) ?? '',
    base: '$InterfaceDefinition',
    about: docComment([type.displayName, type.description]),
    primaryKey: undefined,
    definition: [],
    properties: type.allProperties ?? type.properties,
    links: sortedEntries(type.allLinks ?? type.links).map((link) => ({
      ...link,
      target: link.linkedEntityApiName.apiName,
      leadsToInterface: link.linkedEntityApiName.type === 'interfaceTypeApiName',
    })),
    metadata: [
      ['implementedBy', textList((type.implementedByObjectTypes ?? []).toSorted())],
      ['implements', textList(extended.toSorted())],
    ],
  })
}

interface Link {
  readonly apiName: string
  readonly target: string
  readonly leadsToInterface?: boolean
  readonly cardinality: 'ONE' | 'MANY'
}

/** What object types and interfaces do not have in common. */
interface Entity {
  readonly kind: 'object' | 'interface'
  readonly name: string
  readonly base: string
  readonly about: string
  readonly primaryKey: string | undefined
  /** Members of the constant and of its type. */
  readonly definition: Members
  readonly properties: Readonly<Record<string, WireProperty>>
  readonly links: readonly Link[]
  readonly metadata: Members
}

function writeEntity(
  type: Pick<WireInterface, 'apiName' | 'rid' | 'displayName' | 'description'>,
  names: OsdkNames,
  { kind, name, base, about, primaryKey, metadata, ...entity }: Entity,
): string {
  const { apiName, rid, displayName, description } = type
  const properties = sortedEntries(entity.properties)
  const links = entity.links.toSorted(byApiName).flatMap((link) => {
    const target = (link.leadsToInterface ? names.interfaces : names.objectTypes).get(link.target)
    return target === undefined ? [] : [{ ...link, target, isMany: link.cardinality === 'MANY' }]
  })
  const linkKind = kind === 'object' ? '$ObjectMetadata' : '$InterfaceMetadata'
  const shared: Members = [
    ['apiName', literal(apiName)],
    ['description', optionalLiteral(description)],
    ['displayName', literal(displayName)],
    [
      'links',
      objectLiteral(
        links.map((link) => [link.apiName, `${linkKind}.Link<${link.target}, ${link.isMany}>`]),
      ),
    ],
    [
      'properties',
      objectLiteral(
        properties.map((property) => [
          property.apiName,
          propertyDefinition(property.dataType, property.apiName !== primaryKey),
        ]),
      ),
    ],
    ['rid', literal(rid)],
    ['type', literal(kind)],
  ]
  const allMetadata: Members = [
    ['objectSet', `${name}.ObjectSet`],
    ['props', `${name}.Props`],
    ['linksType', `${name}.Links`],
    ['strictProps', `${name}.StrictProps`],
    ...[...shared, ...metadata].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]
  const definition: Members = [
    ['type', literal(kind)],
    ['apiName', literal(apiName)],
    ...entity.definition,
  ]
  const accessors = links.map((link) => {
    const value = link.isMany ? `${link.target}.ObjectSet` : `$SingleLinkAccessor<${link.target}>`
    return `    readonly ${memberName(link.apiName)}: ${value}\n`
  })
  const props = properties.map((property) => {
    const value = writeType(property.dataType, PROPERTY_VALUE)
    const orMissing = property.apiName === primaryKey ? '' : ' | undefined'
    const comment = docComment([property.displayName, property.description], '    ')
    return `${comment}    readonly ${memberName(property.apiName)}: ${value}${orMissing}\n`
  })
  const keys = properties.map((property) => literal(property.apiName)).join(' | ') || 'never'
  return [
    `export namespace ${name} {\n`,
    `  export type PropertyKeys = ${keys}\n\n`,
    accessors.length === 0
      ? '  export type Links = {}\n\n'
      : `  export interface Links {\n${accessors.join('')}  }\n\n`,
    `  export interface Props {\n${props.join('')}  }\n\n`,
    '  export type StrictProps = Props\n\n',
    `  export interface ObjectSet extends $ObjectSet<${name}, ${name}.ObjectSet> {}\n\n`,
    '  export type OsdkInstance<\n',
    "    Options extends never | '$rid' = never,\n",
    `    Keys extends keyof ${name}.Props = keyof ${name}.Props,\n`,
    `  > = $Osdk.Instance<${name}, Options, Keys>\n`,
    '}\n\n',
    about,
    `export interface ${name} extends ${base} {\n`,
    '  osdkMetadata: typeof $osdkMetadata\n',
    ...definition.map(([member, value]) => `  ${member}: ${value}\n`),
    `  __DefinitionMetadata?: ${indentOf(objectLiteral(allMetadata))}\n}\n\n`,
    `export const ${name} = {\n`,
    ...definition.map(([member, value]) => `  ${member}: ${value},\n`),
    '  osdkMetadata: $osdkMetadata,\n',
    // The client reads the RID of a type from this member.
    `  internalDoNotUseMetadata: { rid: ${literal(rid)} },\n`,
    `} satisfies ${name} & { internalDoNotUseMetadata: { rid: string } } as ${name}\n`,
  ].join('')
}
