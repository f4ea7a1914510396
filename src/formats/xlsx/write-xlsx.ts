/**
 * Writes objects as an Excel workbook. Where a sheet is full, the next one continues, and a last
 * sheet lists texts that were cut, so that nothing is lost silently.
 */
import { ownValue } from '../row.ts'
import { parseRecords, type TableFile, type TableSpec, type WriteBytes } from '../table-file.ts'
import {
  type Cell,
  cellWriter,
  columnLetters,
  escapeXml,
  SCALES_MAX,
  STYLE,
  textCell,
} from './sheet-cells.ts'
import { type ZipEntry, ZipWriter } from './write-zip.ts'

/** The rows of a sheet of Excel. */
const SHEET_ROWS = 1_048_576
/** A sheet that is larger takes Excel too long to open, and must stay below the limit of archives. */
const SHEET_MAX_LENGTH = 1024 ** 3
const SHEET_NAME_MAX_LENGTH = 31
/** The cut texts that the last sheet names; it counts the others. */
const NOTED_MAX = 1000

export interface XlsxOptions {
  /** The rows of a sheet, for tests. */
  readonly sheetRows?: number
}

export function openXlsx(
  { name, columns }: TableSpec,
  write: WriteBytes,
  { sheetRows = SHEET_ROWS }: XlsxOptions = {},
): TableFile {
  const zip = new ZipWriter(write)
  const written = columns.map(({ name, type }, index) => {
    return { name, letters: columnLetters(index), cell: cellWriter(type) }
  })
  const names = new Set(columns.map((column) => column.name))
  const heads = written.map(({ name, letters }) => {
    const { attributes, content } = textCell(name)
    return { letters, cell: { attributes: `${attributes} s="${STYLE.head}"`, content } }
  })
  const sheetNames: string[] = []
  const notes: string[][] = []
  let cutTexts = 0
  let sheet: { readonly entry: ZipEntry; rows: number; length: number } | undefined

  async function openSheet(sheetName: string) {
    sheetNames.push(sheetName)
    const entry = await zip.open(`xl/worksheets/sheet${sheetNames.length}.xml`)
    await entry.write(SHEET_HEAD)
    return { entry, rows: 0, length: 0 }
  }

  async function closeSheet(): Promise<void> {
    await sheet?.entry.write(SHEET_TAIL)
    await sheet?.entry.end()
    sheet = undefined
  }

  function rowOf(object: Readonly<Record<string, unknown>>, row: number): string {
    const cells = written.flatMap(({ name: property, letters, cell }) => {
      const value = ownValue(object, property) ?? null
      if (value === null) return []
      const made = cell(value)
      if (made.isCut) noteCut(property, `${letters}${row}`, String(value).length)
      return [{ letters, cell: made }]
    })
    return rowText(row, cells)
  }

  function noteCut(property: string, cell: string, length: number): void {
    cutTexts += 1
    if (notes.length < NOTED_MAX) {
      notes.push([sheetNames.at(-1) ?? '', cell, property, String(length)])
    }
  }

  async function add(records: Uint8Array): Promise<void> {
    let text = ''
    for (const object of parseRecords(records, names)) {
      if (sheet !== undefined && (sheet.rows >= sheetRows || sheet.length > SHEET_MAX_LENGTH)) {
        await sheet.entry.write(text)
        text = ''
        await closeSheet()
      }
      if (sheet === undefined) {
        sheet = await openSheet(sheetName(name, sheetNames.length))
        sheet.rows = 1
        text += rowText(1, heads)
      }
      sheet.rows += 1
      const row = rowOf(object, sheet.rows)
      sheet.length += row.length
      text += row
    }
    await sheet?.entry.write(text)
  }

  /** Adds a sheet that says which texts were cut, if there are any. */
  async function addNotes(): Promise<void> {
    if (cutTexts === 0) return
    const { entry } = await openSheet('Cut texts')
    const lines = [
      [`A cell of Excel holds 32,767 characters. ${cutTexts} texts are longer, and were cut.`],
      ['Sheet', 'Cell', 'Property', 'Characters'],
      ...notes,
      ...(cutTexts > notes.length ? [[`and ${cutTexts - notes.length} more`]] : []),
    ]
    const rows = lines.map((texts, index) =>
      rowText(
        index + 1,
        texts.map((text, column) => ({ letters: columnLetters(column), cell: textCell(text) })),
      ),
    )
    await entry.write(rows.join('') + SHEET_TAIL)
    await entry.end()
  }

  return {
    add,
    async finish() {
      if (sheetNames.length === 0) {
        sheet = await openSheet(sheetName(name, 0))
        await sheet.entry.write(rowText(1, heads))
      }
      await closeSheet()
      await addNotes()
      for (const [path, text] of workbookParts(sheetNames)) await zip.add(path, text)
      await zip.finish()
    },
  }
}

function rowText(
  row: number,
  cells: readonly { readonly letters: string; readonly cell: Cell }[],
): string {
  const texts = cells.map(
    ({ letters, cell }) => `<c r="${letters}${row}"${cell.attributes}>${cell.content}</c>`,
  )
  return `<row r="${row}">${texts.join('')}</row>`
}

/** Returns the name of a sheet, without what Excel refuses. */
function sheetName(name: string, index: number): string {
  const suffix = index === 0 ? '' : ` ${index + 1}`
  const plain = name.replaceAll(/[[\]:*?/\\']/g, ' ').trim() || 'Objects'
  return plain.slice(0, SHEET_NAME_MAX_LENGTH - suffix.length) + suffix
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The row with the names stays in view. */
const SHEET_HEAD = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`
const SHEET_TAIL = '</sheetData></worksheet>'

const SCALES = Array.from({ length: SCALES_MAX }, (_, index) => index + 1)
const FIRST_SCALE_FORMAT = 165
const SCALE_FORMATS = SCALES.map(
  (scale) =>
    `<numFmt numFmtId="${FIRST_SCALE_FORMAT + scale}" formatCode="0.${'0'.repeat(scale)}"/>`,
).join('')
const SCALE_STYLES = SCALES.map(
  (scale) => `<xf numFmtId="${FIRST_SCALE_FORMAT + scale}" xfId="0" applyNumberFormat="1"/>`,
).join('')

/** The formats of cells, in the order of `STYLE`, and one for each scale. */
const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${2 + SCALES_MAX}"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/>${SCALE_FORMATS}</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${4 + SCALES_MAX}"><xf xfId="0"/><xf numFmtId="164" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" xfId="0" applyNumberFormat="1"/><xf fontId="1" xfId="0" applyFont="1"/>${SCALE_STYLES}</cellXfs></styleSheet>`

/** Returns the parts of a workbook beside its sheets, by path. */
function workbookParts(names: readonly string[]): readonly (readonly [string, string])[] {
  const each = (make: (name: string, number: number) => string) =>
    names.map((name, index) => make(name, index + 1)).join('')
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
  const part = (path: string, type: string) =>
    `<Override PartName="${path}" ContentType="${CONTENT}.${type}+xml"/>`
  const sheets = each(
    (name, number) =>
      `<sheet name="${escapeXml(name).replaceAll('"', '&quot;')}" sheetId="${number}" r:id="rId${number}"/>`,
  )
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${part('/xl/workbook.xml', 'sheet.main')}${part('/xl/styles.xml', 'styles')}${each((_, number) => part(`/xl/worksheets/sheet${number}.xml`, 'worksheet'))}</Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each((_, number) => relation(`rId${number}`, 'worksheet', `worksheets/sheet${number}.xml`))}${relation('styles', 'styles', 'styles.xml')}</Relationships>`,
    ],
    ['xl/styles.xml', STYLES],
  ]
}
