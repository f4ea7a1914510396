/** Log sequence numbers (LSN): positions in the write-ahead log of PostgreSQL, written as `16/B374D848`. */

export function parseLsn(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

export function formatLsn(lsn: bigint): string {
  const hex = (part: bigint) => part.toString(16).toUpperCase()
  return `${hex(lsn >> 32n)}/${hex(lsn & 0xffff_ffffn)}`
}
