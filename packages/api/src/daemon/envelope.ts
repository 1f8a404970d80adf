import { z } from 'zod';

/** What is sent to `/json_rpc`. */
export const rpcRequest = z.object({
  method: z.string().meta({ description: 'The name of the method, case sensitive' }),
  params: z.unknown().optional().meta({ description: 'What the method asks for' }),
  id: z.unknown().optional().meta({ description: 'Echoed as it was sent' }),
  jsonrpc: z.unknown().optional().meta({ description: 'Not looked at' }),
});

/** What comes back: `result` or `error`. */
export const rpcAnswer = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.bigint(), message: z.string() }).optional(),
});
