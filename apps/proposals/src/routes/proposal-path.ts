import { proposalsApi } from '@wrkz/api';
import { parseAmount } from '@wrkz/core-types';
import { z } from 'zod';
import type { ProposalsContext } from '../context';
import type { ListedProposal } from '../listing';
import type { AskedAmount } from '../pages/proposal';
import { ProposalRefusal } from '../refusals';
import { MAX_TARGET } from '../store/proposal';

/** The number of a proposal in a path. */
export const proposalParams = z.object({ id: z.string().regex(/^[1-9][0-9]{0,14}$/) });

/** An amount that a QR code is to hold. */
export const amountQuery = z.object({
  amount: proposalsApi
    .first(z.string())
    .optional()
    .meta({ type: 'string', description: 'Coins, at most two decimals' }),
});

/** @throws ProposalRefusal when there is no such proposal */
export function proposalAt(
  { listing }: Pick<ProposalsContext, 'listing'>,
  { id }: { readonly id: string },
): ListedProposal {
  const listed = listing.find(Number(id));
  if (listed === undefined) throw new ProposalRefusal('notFound');
  return listed;
}

/** Reads an amount; none at all is no question. */
export function askedAmount(text: string | undefined): AskedAmount {
  if (text === undefined || text.trim() === '') return undefined;
  const amount = text.length > 24 ? undefined : parseAmount(text);
  return amount !== undefined && amount > 0n && amount <= MAX_TARGET ? { amount } : { wrong: text.slice(0, 24) };
}
