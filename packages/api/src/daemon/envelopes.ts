import { z } from 'zod';
import { integer } from '../scalars';

/* Envelopes of requests and responses. Separate from `errors.ts`, which reader threads load without schemas. */

/** Body of an HTTP error of the daemon. */
export const daemonErrorBody = z.union([
  z
    .object({ status: z.literal('Failed'), error: z.string(), kept_after: integer, latest: integer })
    .meta({ description: 'Events were deleted. Continue after either number' }),
  z.object({ status: z.enum(['Failed', 'BUSY']), error: z.string() }),
  z.object({ errorCode: integer, errorMessage: z.string() }).meta({ description: 'Error of the wallets' }),
]);

/** Max characters of a JSON-RPC id. */
const MAX_ID_LENGTH = 256;

function isId(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : typeof value !== 'object' || value === null;
}

/** A request to `/json_rpc`. */
export const rpcRequest = z.object({
  method: z.string().meta({ description: 'Name of the method, case sensitive' }),
  params: z.unknown().optional().meta({ description: 'Parameters of the method' }),
  id: z
    .unknown()
    .refine(isId)
    .optional()
    .meta({ description: 'Echoed unchanged: a number, a boolean, null, or a string of at most 256 characters' }),
  jsonrpc: z.unknown().optional().meta({ description: 'Ignored' }),
});

/** A response: `result` or `error`. */
export const rpcResponse = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.bigint(), message: z.string() }).optional(),
});
