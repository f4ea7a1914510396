/** Store names, in the form that `OQS_STORE` accepts. */

const POSTGRES = /^postgres(?:ql)?:\/\/\S/
/** At most one `@`, with no `/`, `?` or `#` before it: those would end the user information. */
const ONE_AT = /^[^:]+:\/\/(?:[^@/?#]*@)?[^@]*$/

export function isStoreName(text: string): boolean {
  if (/^sqlite:./.test(text)) return true
  if (!POSTGRES.test(text) || !URL.canParse(text)) return false
  // An unescaped @ or / in a password would end it early and make the rest part of the host.
  const [withoutParameters = ''] = text.split(/\?(?=\w+=)/)
  return ONE_AT.test(withoutParameters)
}

/** Returns the name with any password masked, also if the name is malformed. */
export function withoutPassword(name: string): string {
  if (name.startsWith('sqlite:')) return name
  return maskUserInfo(name).replace(/(password\s*=\s*)[^&\s]*/gi, '$1***')
}

function maskUserInfo(name: string): string {
  const end = name.lastIndexOf('@')
  if (end === -1) return name
  const [scheme = ''] = /^\w+:\/+|^postgres(?:ql)?:/i.exec(name) ?? []
  const colon = name.indexOf(':', scheme.length)
  if (colon !== -1 && colon < end) return `${name.slice(0, colon)}:***${name.slice(end)}`
  // Without slashes, the apparent scheme may be a user name.
  return scheme.endsWith(':') ? `${scheme}***${name.slice(end)}` : name
}
