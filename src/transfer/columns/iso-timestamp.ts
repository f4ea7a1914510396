const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?:([Zz]|UTC)|([+-]\d{2})(?::?(\d{2}))?)?)?$/

/**
 * Converts a timestamp to the form that the service accepts. Allows a space instead of the T, a
 * short offset and a date alone; without a zone it is UTC. Returns undefined for other texts.
 */
export function isoTimestamp(text: string): string | undefined {
  const match = TIME.exec(text)
  if (match === null) return undefined
  const [, date, time = '00:00', , hours, minutes = '00'] = match
  return `${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`
}
