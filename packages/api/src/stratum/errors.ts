import type { ApiError } from '../errors';

/** A refusal of the stratum server; its code is -1 whatever the reason. */
export type StratumError = Pick<ApiError, 'text' | 'when'>;

const stratumError = (text: string, when: string): StratumError => ({ text, when });

/** The code of every refusal. */
export const STRATUM_ERROR_CODE = -1;

/** Everything that a request over stratum may be refused with, in the order of the checks of each method. */
export const stratumErrors = {
  unknownMethod: stratumError('Unknown method', 'There is no such method.'),
  wrongAddress: stratumError('{message}', "The login is no plain address; the text is the wallets' own."),
  synchronizingLogin: stratumError(
    'Node is still synchronizing ({count} of {target}); mining would only produce orphans. Retry once it has caught up.',
    'A login before the node has caught up with the network.',
  ),
  noTemplate: stratumError('Could not create a block template: {reason}', 'No block can be built.'),
  zeroDifficulty: stratumError('The chain reported a zero difficulty', 'No block can follow the tip.'),
  noBlob: stratumError('Could not build the hashing blob: {reason}', 'The block cannot be sealed or written.'),
  unauthenticated: stratumError('Unauthenticated', 'There was no login on this connection.'),
  synchronizing: stratumError('Node is still synchronizing', 'A job was asked for before the node has caught up.'),
  invalidJobId: stratumError('Invalid job id', 'The job is not among the last 4 of this connection.'),
  malformedNonce: stratumError('Malformed nonce', 'The nonce is not 8 hex digits.'),
  duplicateShare: stratumError('Duplicate share', 'This nonce was sent for this job before.'),
  notHashed: stratumError('Could not hash share', 'The hash could not be computed.'),
  invalidResult: stratumError('Invalid result', 'The hash that was sent is not the one of this share.'),
  lowDifficulty: stratumError('Low difficulty share', 'The hash does not meet the target of the job.'),
  notSerialized: stratumError('Could not serialize block', 'The block cannot be written.'),
  blockNotAccepted: stratumError('Block not accepted', 'The block did not become the tip.'),
} as const satisfies Record<string, StratumError>;
