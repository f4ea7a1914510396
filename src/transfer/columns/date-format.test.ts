import { expect, it } from 'vitest'
import { compileDateFormat } from './date-format.ts'

it.each<[string, string, string | undefined]>([
  ['DDMMYYYY', '01112024', '2024-11-01'],
  ['DDMMYYYY', '1112024', undefined],
  ['YYYYMMDD', '2024111', undefined],
  ['YYYYMMDD[HHmm]', '20240102', '2024-01-02'],
  ['YYYYMMDD[HHmm]', '202401020304', '2024-01-02T03:04:00Z'],
  ['YYYYMMDD[HHmm]', '2024010234', undefined],
  ['MM/DD/YYYY HHmm', '1/2/2024 930', '2024-01-02T09:30:00Z'],
  ['DDMMMYYYY', '1Feb2024', '2024-02-01'],
  ['DD.MM.YYYY[ HH:mm[:ss[.S]]]', '1.2.2024 3:04:05.6', '2024-02-01T03:04:05.6Z'],
  ['epoch', '1700000000', '2023-11-14T22:13:20.000Z'],
  ['epoch', '1700000000.123456', '2023-11-14T22:13:20.123456Z'],
  ['epoch', '1700000000.5', '2023-11-14T22:13:20.500Z'],
  ['epoch', '-0.000001', '1969-12-31T23:59:59.999999Z'],
  ['epoch-ms', '1700000000123', '2023-11-14T22:13:20.123Z'],
  ['epoch-ms', '1700000000123.456', '2023-11-14T22:13:20.123456Z'],
  ['epoch-ms', '0.000000001', '1970-01-01T00:00:00.000000000001Z'],
  ['epoch', '999999999999999', undefined],
])('reads %s, %j as %j', (format, text, date) => {
  expect(compileDateFormat(format)?.read(text)).toBe(date)
})
