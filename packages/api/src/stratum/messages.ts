import { z } from 'zod';

/** The bytes to be hashed are a few hundred at most; the line that carries them has 8192. */
const MAX_BLOB_DIGITS = 4096;

const evenHex = z.string().regex(/^([0-9a-fA-F]{2})+$/);

/** A job as the server describes it. */
export const stratumJob = z.object({
  blob: evenHex.max(MAX_BLOB_DIGITS).meta({ description: 'What is hashed; the nonce stands at byte 39' }),
  job_id: z.string().min(1).max(128),
  target: z
    .string()
    .regex(/^([0-9a-fA-F]{8}|[0-9a-fA-F]{16})$/)
    .meta({ description: 'Little-endian; the last 4 or 8 bytes of the hash must lie below it' }),
  height: z.number().int().min(0).optional(),
  algo: z.string().max(64).optional(),
});
export type StratumJobMessage = z.infer<typeof stratumJob>;

/** What a login is answered with. */
export const stratumLoginResult = z.object({
  id: z.string().min(1).max(128),
  job: stratumJob,
  status: z.string(),
});

/** A line from the server: an answer (with an id) or a notification (with a method). */
export const stratumServerLine = z.object({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number().optional(), message: z.string() }).nullish(),
});
export type StratumServerLine = z.infer<typeof stratumServerLine>;
