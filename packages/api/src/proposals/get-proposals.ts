import { z } from 'zod';
import { first, wholeNumber } from './query';
import { HIGHEST_STATUS, proposalRecord } from './record';

/** The most records of one answer. */
export const MAX_LISTED = 100;
/** Offsets beyond this are refused. */
export const MAX_OFFSET = 2 ** 31 - 1;

/** GET /api/1/proposals: the query. Of a repeated parameter the first counts; an empty `cat` is no filter. */
export const listQuery = z.object({
  status: wholeNumber({ min: 0, max: HIGHEST_STATUS, otherwise: 1 }),
  cat: first(z.string()).optional().meta({ type: 'string', description: 'Category; left out or empty, all' }),
  limit: wholeNumber({ min: 0, max: MAX_LISTED, otherwise: 20 }),
  offset: wholeNumber({ min: 0, max: MAX_OFFSET, otherwise: 0 }),
});

/** Newest first. The total number is not told. */
export const listAnswer = z.object({ data: z.array(proposalRecord) });
