/** Names of stores, as `OQS_STORE` has them. */

export function isStoreName(text: string): boolean {
  if (/^sqlite:./.test(text)) return true
  return /^postgres(?:ql)?:\/\/\S/.test(text) && URL.canParse(text)
}

/** As people may see it: the password of a database is nobody's business. */
export function withoutPassword(name: string): string {
  return (
    name
      // Also where the name is misspelt: then it is shown, too.
      .replace(/(:\/\/[^:@/?]*):.*@/, '$1:***@')
      .replace(/(password\s*=\s*)[^&\s]*/gi, '$1***')
  )
}
