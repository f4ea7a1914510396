/** Datasette: a JSON API over a SQLite file; keyset pages. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fillSqlite, TABLE } from './part-table.ts'
import { CATEGORY, type Peer } from './peer.ts'

export const datasette: Peer = {
  name: 'Datasette',
  store: 'SQLite',
  settings: `the file opened as immutable; an index on (category, partNumber); rows as objects, \
without counts and facets; its own _next.`,
  readyPath: `/datasette/${TABLE}.json?_size=1`,
  async prepare({ folder }, objects, port) {
    const { stdout } = await promisify(execFile)('datasette', ['--version'])
    const database = join(folder, 'datasette.db')
    fillSqlite(database, objects)
    const off = ['suggest_facets', 'allow_csv_stream', 'allow_download', 'allow_facet']
    const address = ['--host', '127.0.0.1', '--port', String(port)]
    const settings = off.flatMap((name) => ['--setting', name, 'off'])
    return {
      version: /\d[\w.-]*/.exec(stdout)?.[0] ?? '',
      file: 'datasette',
      args: ['serve', '--immutable', database, ...address, ...settings],
    }
  },
  call(query, pageSize, token) {
    const parameters = new URLSearchParams({
      _shape: 'objects',
      _size: String(pageSize),
      _nocount: '1',
      _nofacet: '1',
      _nosuggest: '1',
      ...(query === 'query' && { category__exact: CATEGORY }),
      ...(token !== undefined && { _next: token }),
    })
    return { method: 'GET', path: `/datasette/${TABLE}.json?${parameters}` }
  },
  read: ({ rows, next }) => ({ objects: rows, token: next }),
}
