import { z } from 'zod';
import type { ApiError } from './errors';

/** Max hex digits of a hashing blob. A blob has a few hundred bytes, a line at most 8192. */
const MAX_BLOB_DIGITS = 4096;

const evenHex = z.string().regex(/^([0-9a-fA-F]{2})+$/);

/** A mining job. */
export const stratumJob = z.object({
  blob: evenHex.max(MAX_BLOB_DIGITS).meta({ description: 'Hashing blob. The nonce is at byte 39' }),
  job_id: z.string().min(1).max(128),
  target: z
    .string()
    .regex(/^([0-9a-fA-F]{8}|[0-9a-fA-F]{16})$/)
    .meta({ description: 'Little-endian. The last 4 or 8 bytes of the hash must be below the target' }),
  height: z.number().int().min(0).optional(),
  algo: z.string().max(64).optional(),
});
export type StratumJobMessage = z.infer<typeof stratumJob>;

/** Result of a login. */
export const stratumLoginResult = z.object({
  id: z.string().min(1).max(128),
  job: stratumJob,
  status: z.string(),
});

/** A line from the server: a response (with an id) or a notification (with a method). */
export const stratumServerLine = z.object({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number().optional(), message: z.string() }).nullish(),
});
export type StratumServerLine = z.infer<typeof stratumServerLine>;

/** An error of the stratum server. The code is always -1. */
export type StratumError = Pick<ApiError, 'text' | 'when'>;

const stratumError = (text: string, when: string): StratumError => ({ text, when });

/** Code of every error. */
export const STRATUM_ERROR_CODE = -1;

/** All errors of the stratum server, in the order of the checks of each method. */
export const stratumErrors = {
  unknownMethod: stratumError('Unknown method', 'The method is unknown.'),
  wrongAddress: stratumError('{message}', 'The login is not a standard address. The text is the error of the wallets.'),
  synchronizingLogin: stratumError(
    'Node is still synchronizing ({count} of {target}); mining would only produce orphans. Retry once it has caught up.',
    'The node is not synchronized.',
  ),
  noTemplate: stratumError('Could not create a block template: {reason}', 'The template cannot be built.'),
  zeroDifficulty: stratumError('The chain reported a zero difficulty', 'The next block has difficulty 0.'),
  noBlob: stratumError('Could not build the hashing blob: {reason}', 'The block cannot be serialized for hashing.'),
  unauthenticated: stratumError('Unauthenticated', 'The connection has no login.'),
  synchronizing: stratumError('Node is still synchronizing', 'A job was requested while the node is not synchronized.'),
  invalidJobId: stratumError('Invalid job id', 'The job is not among the last 4 of this connection.'),
  malformedNonce: stratumError('Malformed nonce', 'The nonce is not 8 hex digits.'),
  duplicateShare: stratumError('Duplicate share', 'The nonce was already submitted for this job.'),
  notHashed: stratumError('Could not hash share', 'The hash cannot be computed.'),
  invalidResult: stratumError('Invalid result', 'The submitted hash is not the hash of this share.'),
  lowDifficulty: stratumError('Low difficulty share', 'The hash does not meet the target of the job.'),
  notSerialized: stratumError('Could not serialize block', 'The block cannot be serialized.'),
  blockNotAccepted: stratumError('Block not accepted', 'The block did not become the top block.'),
} as const satisfies Record<string, StratumError>;
