/** Examples of writes of one object, of delete by query, and of actions. */

const BOOKS = { ontology: 'library', objectType: 'book' }
const ISBN = '9780131103627'
const BOOK = { ...BOOKS, primaryKey: ISBN }
const CREATE_BOOK = { ontology: 'library', actionType: 'create-book' }
const MODIFY_BOOK = { ontology: 'library', actionType: 'modify-book' }

const ACTION_RID = 'ri.ontology.main.action-type.6a1f0c39-0d5e-8c1b-9a53-4be1f0aa7c10'
const ACTION_TYPE = {
  apiName: 'delete-country',
  displayName: 'Delete country',
  status: 'ACTIVE',
  rid: ACTION_RID,
  operations: [{ type: 'deleteObject', objectTypeApiName: 'country' }],
  parameters: {
    objectToDeleteParameter: { baseType: 'OntologyObject<country>', required: true },
  },
}
const ACTION_TYPE_V2 = {
  ...ACTION_TYPE,
  parameters: {
    objectToDeleteParameter: {
      displayName: 'objectToDeleteParameter',
      dataType: { type: 'object', objectApiName: 'country', objectTypeApiName: 'country' },
      required: true,
      typeClasses: [],
    },
  },
}
const VALID = {
  result: 'VALID',
  submissionCriteria: [],
  parameters: {
    objectToDeleteParameter: {
      result: 'VALID',
      evaluatedConstraints: [{ type: 'objectQueryResult' }],
      required: true,
    },
  },
}

export const WRITE_EXAMPLES = {
  putObject: {
    parameters: BOOK,
    request: { isbn: ISBN, title: 'The C Programming Language', authors: ['Kernighan', 'Ritchie'] },
    response: { version: 2 },
  },
  patchObject: {
    parameters: BOOK,
    request: { published: '1988-03-22', authors: null },
    response: { version: 3 },
  },
  listActionTypes: { response: { data: [ACTION_TYPE] } },
  getActionType: { response: ACTION_TYPE },
  validateAction: {
    request: { parameters: { objectToDeleteParameter: 'CH' } },
    response: VALID,
  },
  applyAction: {
    parameters: CREATE_BOOK,
    request: { parameters: { isbn: '9780201633610', title: 'Design Patterns' } },
    response: {},
  },
  applyActionBatch: {
    parameters: CREATE_BOOK,
    request: { requests: [{ parameters: { isbn: '9780262033848', title: 'Algorithms' } }] },
    response: {},
  },
  listActionTypesV2: { response: { data: [ACTION_TYPE_V2] } },
  getActionTypeV2: { response: ACTION_TYPE_V2 },
  getActionTypeByRidV2: {
    parameters: { actionTypeRid: ACTION_RID },
    response: ACTION_TYPE_V2,
  },
  getActionTypesByRidV2: {
    request: { requests: [{ actionTypeRid: ACTION_RID }] },
    response: { data: [ACTION_TYPE_V2] },
  },
  applyActionV2: {
    parameters: MODIFY_BOOK,
    request: {
      parameters: { objectToModifyParameter: ISBN, title: 'The C Programming Language, 2nd ed.' },
      options: { returnEdits: 'ALL_V2_WITH_DELETIONS' },
    },
    response: {
      validation: { result: 'VALID', submissionCriteria: [], parameters: {} },
      edits: {
        type: 'edits',
        edits: [{ type: 'modifyObject', objectType: 'book', primaryKey: ISBN }],
        addedObjectCount: 0,
        modifiedObjectsCount: 1,
        deletedObjectsCount: 0,
        addedLinksCount: 0,
        deletedLinksCount: 0,
      },
    },
  },
  applyActionBatchV2: {
    parameters: MODIFY_BOOK,
    request: {
      requests: [{ parameters: { objectToModifyParameter: ISBN, published: '1988-04-01' } }],
    },
    response: {},
  },
  deleteObject: {
    parameters: { ...BOOKS, primaryKey: '9780201633610' },
    response: { version: 8 },
  },
  deleteByQuery: {
    parameters: BOOKS,
    request: { query: { type: 'eq', field: 'properties.title', value: 'Algorithms' } },
    response: { version: 9, deleted: 1 },
  },
}
