import type { Rejection } from '../../transfer/import/batch-sender.ts'

/** Returns rejected rows as lines with tabs, for a spreadsheet or a message. */
export function rejectionText(rejections: readonly Rejection[]): string {
  const rows = rejections.map(({ line, property = '', excerpt, reason, row = '' }) => [
    line,
    property,
    excerpt,
    reason,
    row,
  ])
  return [['line', 'column', 'value', 'reason', 'row'], ...rows]
    .map((cells) => cells.map(oneLine).join('\t'))
    .join('\n')
}

function oneLine(cell: string | number): string {
  return String(cell).replaceAll(/[\t\r\n]+/g, ' ')
}
