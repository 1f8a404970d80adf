import { z } from 'zod';
import { uint64 } from '../scalars';

const amounts = { locked: uint64, unlocked: uint64 };

/** GET /balance and /balance/{address}, atomic units. */
export const balanceAnswer = z.object(amounts);

/** GET /balances: a bare array. */
export const balancesAnswer = z.array(z.object({ address: z.string(), ...amounts }));
