/** Names of stores, as `OQS_STORE` has them. */

const POSTGRES = /^postgres(?:ql)?:\/\/\S/
/** At most one `@`, and nothing before it that would end the place of the user and password. */
const ONE_AT = /^[^:]+:\/\/(?:[^@/?#]*@)?[^@]*$/

export function isStoreName(text: string): boolean {
  if (/^sqlite:./.test(text)) return true
  if (!POSTGRES.test(text) || !URL.canParse(text)) return false
  // A password with a bare @ or / would be cut there, and its rest be asked for as a host.
  const [place = ''] = text.split(/\?(?=\w+=)/)
  return ONE_AT.test(place)
}

/** As people may see it: the password of a database is nobody's business. */
export function withoutPassword(name: string): string {
  if (name.startsWith('sqlite:')) return name
  // Also where the name is misspelt: then it is shown, too.
  return maskUserInfo(name).replace(/(password\s*=\s*)[^&\s]*/gi, '$1***')
}

function maskUserInfo(name: string): string {
  const end = name.lastIndexOf('@')
  if (end === -1) return name
  const [scheme = ''] = /^\w+:\/+|^postgres(?:ql)?:/i.exec(name) ?? []
  const colon = name.indexOf(':', scheme.length)
  if (colon !== -1 && colon < end) return `${name.slice(0, colon)}:***${name.slice(end)}`
  // Without its slashes, what seems to be a scheme may be a user.
  return scheme.endsWith(':') ? `${scheme}***${name.slice(end)}` : name
}
