/** The errors of definitions, of writes and of actions: a part of the error catalogue. */
import type { CatalogueEntry } from './error-codes.ts'

export const WRITE_ERRORS = {
  InvalidOntologyDefinition: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'The ontology definition is invalid. The parameters list each mistake with its path.',
  },
  OntologyChangeRefused: {
    errorCode: 'CONFLICT',
    description:
      'The change would lose or invalidate stored values, so nothing was changed. The parameters list the reasons.',
  },
  OntologyChangeInProgress: {
    errorCode: 'CONFLICT',
    description:
      'The objects of the ontology are being converted to another definition. Wait for that change, or cancel it.',
  },
  OntologyDefinitionOutOfSync: {
    errorCode: 'CONFLICT',
    description: 'The ontology definition changed during this request. Send the request again.',
  },
  DefinitionsExceededLimit: {
    errorCode: 'CONFLICT',
    description:
      'The definitions of the service, or those that the caller created, would be too large together. Nothing was changed. Delete ontologies that are not needed.',
  },
  ReplacementsExceededLimit: {
    errorCode: 'CONFLICT',
    description:
      'The object type has too many open replacements. Publish or abandon one, or wait until idle ones expire.',
  },
  ReplacementAlreadyPublished: {
    errorCode: 'CONFLICT',
    description:
      'The replacement was published in another mode. Publish it again in the mode in which it was published to get the first answer, or start a new replacement.',
  },
  ReplacementMergeExceededLimit: {
    errorCode: 'CONFLICT',
    description:
      'The object type has too many objects to add them to the replacement. Write the objects in batches.',
  },
  ReplacementMergeRefused: {
    errorCode: 'CONFLICT',
    description:
      'An object of the type does not fit its definition, so it cannot be added to the replacement. Fix or delete the object.',
  },
  InvalidBatchLine: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'A line of the batch is invalid, so nothing was written. The parameters list the invalid lines.',
  },

  InvalidParameterValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The value of a parameter is not valid for its type. Nothing was written.',
  },
  ParametersNotFound: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'The action type does not have these parameters. The parameters of this error list those that it has.',
  },
  ActionValidationFailed: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The action is not valid, so nothing was written. Validate it for details.',
  },
  ObjectAlreadyExists: {
    errorCode: 'CONFLICT',
    description: 'An object with this primary key exists already, so nothing was written.',
  },
  ActionContainsDuplicateEdits: {
    errorCode: 'CONFLICT',
    description: 'The request edits an object more than once, so nothing was written.',
  },
  PreconditionFailed: {
    errorCode: 'CONFLICT',
    status: 412,
    description:
      'What the request writes is not in the state that If-Match or If-None-Match requires, so nothing was written. Read it again and repeat the change.',
  },
  IdempotencyKeyReused: {
    errorCode: 'INVALID_ARGUMENT',
    status: 422,
    description:
      'The idempotency key belongs to another request of this caller. Use a new key for each request, and the same one only to repeat it.',
  },

  SecretNotRepeatable: {
    errorCode: 'CONFLICT',
    description:
      'An earlier request with this idempotency key has created what the parameters name. Its secret can only be returned to the bearer token of that request. Revoke what was created, and create another with a new key.',
  },

  // Actions
  ActionTypeNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The action type does not exist, or is not visible to this token.',
  },
  ActionParameterObjectNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'The object that a parameter of the action names does not exist.',
  },
} as const satisfies Record<string, CatalogueEntry>
