/** Ontologies and programs for the tests of generated types. */
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'

export const LIBRARY: OntologyDefinition = {
  apiName: 'library',
  displayName: 'Library',
  description: 'Books and who wrote them.',
  families: ['library'],
  objectTypes: [
    {
      apiName: 'book',
      displayName: 'Book',
      description: 'A printed work.',
      primaryKey: 'isbn',
      titleProperty: 'title',
      properties: {
        isbn: { type: 'string', description: 'ISBN-13' },
        title: { type: 'string' },
        pages: { type: 'integer' },
        sold: { type: 'long' },
        price: { type: 'decimal' },
        rating: { type: 'double' },
        printed: { type: 'boolean' },
        published: { type: 'date' },
        updated: { type: 'timestamp' },
        printedAt: { type: 'geopoint' },
        area: { type: 'geoshape' },
        scan: { type: 'attachment' },
        tags: { type: 'array', items: { type: 'string' } },
        publisher: {
          type: 'struct',
          fields: {
            name: { type: 'string' },
            since: { type: 'date' },
            seat: {
              type: 'struct',
              fields: {
                city: { type: 'string' },
                floors: { type: 'array', items: { type: 'integer' } },
              },
            },
          },
        },
        editions: {
          type: 'array',
          items: { type: 'struct', fields: { year: { type: 'integer' } } },
        },
        authorId: { type: 'integer' },
      },
    },
    {
      apiName: 'author',
      primaryKey: 'id',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
    },
  ],
  linkTypes: [
    {
      apiName: 'author',
      reverseApiName: 'books',
      from: 'book',
      to: 'author',
      foreignKey: 'authorId',
    },
  ],
}

export const ODD_NAMES: OntologyDefinition = {
  apiName: 'odd',
  objectTypes: [
    ...['my-type.v2', 'my.type-v2', 'class', '1st', 'odd', 'GeoPoint'].map((apiName) => ({
      apiName,
      primaryKey: 'a.b',
      description: 'Ends */ early',
      properties: {
        'a.b': { type: 'string' as const },
        'a-b': { type: 'string' as const },
        '2nd': { type: 'geopoint' as const },
        default: { type: 'date' as const, description: "It's\n\n\\ `odd`" },
      },
    })),
    { apiName: 'flag', primaryKey: 'on', properties: { on: { type: 'boolean' } } },
  ],
  linkTypes: [
    { apiName: 'to-class', reverseApiName: 'new', from: '1st', to: 'class', foreignKey: 'a-b' },
  ],
}

/** Compiles only if every line is valid, or invalid where an error is expected. */
export const CLIENT_PROGRAM = `
import { and, createClient, not, or, type Where } from '@object-query-service/client'
import type { Book, Library } from './library.ts'

const client = createClient<Library>({ baseUrl: '', ontology: 'library', token: async () => '' })
const books = client.objects('book')

export async function valid() {
  for await (const book of books.where({ pages: { gt: 100 }, printed: true }).select('title')) {
    const [isbn, title]: [string, string | undefined] = [book.isbn, book.title]
    // @ts-expect-error: a property that was not selected
    console.log(isbn, title, book.pages)
  }
  const all: Book[] = await books.orderBy('published', 'desc', { nulls: 'first' }).toArray()
  books.where({ title: { anyTerm: { value: 'x', fuzzy: true } }, tags: { contains: 'x' } })
  books.where({ sold: { gte: 5n }, price: '9.90', updated: { lt: new Date() }, rating: 'NaN' })
  books.where({ 'publisher:name': { prefix: 'x' }, 'editions:year': { in: [1999, 2000] } })
  books.where({ printedAt: { isNull: true }, publisher: { isNull: false } })
  books.where({ 'publisher:seat:city': 'x', 'publisher:seat:floors': { contains: 1 } })
  books.where({ 'publisher:seat': { isNull: true } }).orderBy('publisher:seat:city')
  const either: Where<Library['book']> = or({ pages: 1 }, and({ title: 'x' }, not({ sold: 1 })))
  const found = await books.where(either).get('978-0')
  const { data } = await books.aggregate({
    metrics: { n: { type: 'count' }, mean: { type: 'avg', field: 'pages' } },
    groupBy: [{ type: 'duration', field: 'published', duration: 'P1D' }],
  })
  for await (const author of client.linked('book', '978-0', 'author')) {
    const id: number = author.id
    console.log(id, all, found, data[0]?.metrics.mean, data[0]?.group.published)
  }
  client.family('library').objects('book').where({ $keyword: 'x', pages: { lt: 5 } })
  const set = client.objectSet('book').where({ title: { wildcard: 'x*' } })
  for await (const author of set.union(client.objectSet('book')).pivotTo('author')) {
    console.log(author.name, author.__primaryKey)
  }
  await client.edit('book').batch([{ put: { isbn: '1', pages: 5 } }, { delete: '2' }])
  await client.edit('book').patch('1', { pages: null, tags: ['x'] })
}

export function invalid() {
  // @ts-expect-error: an unknown object type
  client.objects('bok')
  // @ts-expect-error: an unknown property
  books.where({ titel: 'x' })
  // @ts-expect-error: a value of another type
  books.where({ title: 5 })
  // @ts-expect-error: an operator of texts on a number
  books.where({ pages: { prefix: 'x' } })
  // @ts-expect-error: an order of booleans
  books.where({ printed: { lt: true } })
  // @ts-expect-error: a geopoint equals nothing
  books.where({ printedAt: { eq: 'x' } })
  // @ts-expect-error: an array equals nothing
  books.where({ tags: 'x' })
  // @ts-expect-error: an unknown struct field
  books.where({ 'publisher:nam': 'x' })
  // @ts-expect-error: a struct field of another type
  books.where({ 'editions:year': 'x' })
  // @ts-expect-error: a value of another type, in a struct inside a struct
  books.where({ 'publisher:seat:city': 5 })
  // @ts-expect-error: an order by a field inside an array
  books.orderBy('editions:year')
  // @ts-expect-error: an unknown property inside a helper
  books.where(or({ pages: 1 }, { titel: 'x' }))
  // @ts-expect-error: a value of another type inside a helper
  books.where(and(not({ pages: 'x' })))
  // @ts-expect-error: an operator of object sets
  books.where({ title: { regex: 'x' } })
  // @ts-expect-error: an unknown property
  books.orderBy('titel')
  // @ts-expect-error: geopoints have no order
  books.orderBy('printedAt')
  // @ts-expect-error: an unknown property
  books.select('titel')
  // @ts-expect-error: a key of another type
  client.objects('author').get('x')
  // @ts-expect-error: an unknown link
  client.linked('book', '1', 'writer')
  // @ts-expect-error: a condition that filters of linked objects do not have
  client.linked('author', 1, 'books').where({ title: { phrase: 'x' } })
  // @ts-expect-error: a condition that revision 2.0 does not have
  client.family('library').objects('book').where({ title: { isNull: true } })
  // @ts-expect-error: revision 2.0 has no order
  client.family('library').objects('book').orderBy('title')
  // @ts-expect-error: sets of different types
  client.objectSet('book').union(client.objectSet('author'))
  // @ts-expect-error: an average of texts
  books.aggregate({ metrics: { x: { type: 'avg', field: 'title' } } })
  // @ts-expect-error: an unknown metric
  books.aggregate({ metrics: { x: { type: 'median', field: 'pages' } } })
  // @ts-expect-error: an object without its key
  client.edit('book').batch([{ put: { title: 'x' } }])
  // @ts-expect-error: a value of another type
  client.edit('book').patch('1', { pages: 'x' })
}
`

export const OSDK_PROGRAM = `
import { createClient, type Osdk } from '@osdk/client'
import { $ontologyRid, author, book } from './library.ts'

const client = createClient('http://localhost', $ontologyRid, async () => '')

export async function valid() {
  const page = await client(book)
    .where({ title: 'x', pages: { $gt: 5 }, tags: { $contains: 'x' } })
    .fetchPage({ $orderBy: { title: 'asc' }, $select: ['title'] })
  const title: string | undefined = page.data[0]?.title
  const one: Osdk.Instance<book> = await client(book).fetchOne('978-0')
  const writer = await one.$link.author.fetchOne()
  const id: number = writer.id
  for await (const { isbn } of client(author).pivotTo('books').asyncIter()) console.log(isbn)
  await client(book).aggregate({ $select: { 'pages:max': 'unordered' }, $groupBy: { title: 'exact' } })
  console.log(title, id)
}

export function invalid() {
  // @ts-expect-error: an unknown property
  client(book).where({ titel: 'x' })
  // @ts-expect-error: an operator of texts on a number
  client(book).where({ pages: { $startsWith: 'x' } })
  // @ts-expect-error: an unknown property
  client(book).fetchPage({ $orderBy: { titel: 'asc' } })
  // @ts-expect-error: an unknown link
  client(book).pivotTo('writer')
}
`

/** An interface as the full metadata of v2 describes it. */
export const WORK_INTERFACE = {
  apiName: 'work',
  rid: 'ri.ontology.main.interface.0f1f5c0e-0000-4000-8000-000000000000',
  displayName: 'Work',
  description: 'What somebody wrote.',
  properties: { label: { dataType: { type: 'string' }, displayName: 'Label' } },
  extendsInterfaces: [],
  implementedByObjectTypes: ['book'],
  links: {
    writer: {
      linkedEntityApiName: { type: 'objectTypeApiName', apiName: 'author' },
      cardinality: 'ONE' as const,
    },
  },
}

export const OSDK_ACTION_PROGRAM = `
import { createClient } from '@osdk/client'
import { $ontologyRid, create_book, delete_book, modify_book, work } from './library.ts'

const client = createClient('http://localhost', $ontologyRid, async () => '')

export async function valid() {
  await client(create_book).applyAction({ isbn: '1', pages: 5, published: '2000-01-01' })
  await client(modify_book).applyAction({ objectToModifyParameter: '1', tags: ['x'] })
  await client(delete_book).batchApplyAction([{ objectToDeleteParameter: '1' }])
  const page = await client(work).where({ label: 'x' }).fetchPage({ $orderBy: { label: 'asc' } })
  const label: string | undefined = page.data[0]?.label
  console.log(label)
}

export function invalid() {
  // @ts-expect-error: a missing parameter
  client(create_book).applyAction({ pages: 5 })
  // @ts-expect-error: a value of another type
  client(create_book).applyAction({ isbn: '1', pages: 'x' })
  // @ts-expect-error: an unknown parameter
  client(create_book).applyAction({ isbn: '1', titel: 'x' })
  // @ts-expect-error: an unknown property
  client(work).where({ lable: 'x' })
}
`
