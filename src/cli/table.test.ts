import { describe, expect, it } from 'vitest'
import { cellText, cut, headerLine, layOutTable, rowLine } from './table.ts'

describe('a table', () => {
  const rows = [
    { id: 1, name: '成田国際空港', place: { lat: 1 } },
    { id: 22, name: 'Zurich', tags: ['a', 'b'] },
  ]

  it('aligns columns by display width, not by number of characters', () => {
    const layout = layOutTable(rows, { width: 100 })
    expect(headerLine(layout)).toBe('id  name          place      tags')
    expect(rows.map((row) => rowLine(layout, row))).toEqual([
      '1   成田国際空港  {"lat":1}',
      '22  Zurich                   ["a","b"]',
    ])
    expect(layout.hidden).toEqual([])
  })

  it('hides the columns that do not fit, and names them', () => {
    const layout = layOutTable(rows, { width: 24 })
    expect(layout.hidden).toEqual(['place', 'tags'])
    expect(rowLine(layout, { id: 12_345, name: 'x'.repeat(50) })).toBe('1…  xxxxxxxxxxx…')
  })

  it('cuts nothing if everything fits', () => {
    const row = { name: 'x'.repeat(200), meaning: 'y'.repeat(200) }
    const layout = layOutTable([row], { width: Infinity, widestCell: Infinity })
    expect(rowLine(layout, row)).toBe(`${row.name}  ${row.meaning}`)
  })

  it('replaces characters that control the terminal', () => {
    expect(cellText('\u001b[31mred\u0007\n\u202etab\t')).toBe('\ufffd[31mred\ufffd\\n\ufffdtab\\t')
    expect([undefined, null, true, 1.5].map(cellText)).toEqual(['', '', 'true', '1.5'])
  })

  it('cuts between graphemes', () => {
    expect(cut('成田国際空港', 6)).toBe('成田…')
    expect(cut('👩‍👩‍👧family', 4)).toBe('👩‍👩‍👧f…')
    expect(cut('short', 5)).toBe('short')
  })
})
