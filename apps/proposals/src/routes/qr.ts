import { proposalsApi } from '@wrkz/api';
import { AddressError, addressErrorCodes, decodeAddress, parseAmount } from '@wrkz/core-types';
import { countedAddress, isLoopback, secondsToNextMinute } from '@wrkz/service-kit';
import { z } from 'zod';
import { ProposalsError } from '../errors';
import type { ListedProposal } from '../listing';
import { paymentUri, type RequestedAmount } from '../pages/proposal';
import { MAX_AMOUNT } from '../store/proposal';
import { declareProposalsRoute, LIMITED, LONG_CACHING, type ProposalsContext, SHORT_CACHING } from './declare';

const { proposalErrors } = proposalsApi;
const MAX_AMOUNT_LENGTH = 24;

export const getQr = declareProposalsRoute({
  method: 'GET',
  path: '/api/1/qr',
  summary: 'An address as a QR code of 300 x 300 pixels; the code has only the address.',
  guards: LIMITED,
  query: proposalsApi.qrQuery,
  response: { contentType: 'image/png', description: 'The image' },
  caching: LONG_CACHING,
  errors: [
    proposalErrors.noAddress,
    proposalErrors.repeatedAddress,
    proposalErrors.addressLength,
    proposalErrors.badAddress,
    proposalErrors.qrThrottled,
  ],
  handle: async (context, { query, client }) => {
    const { address = '' } = query;
    if (address === '') throw new ProposalsError('noAddress');
    if (!context.images.hasPng(address)) {
      validateAddress(address);
      await limitNewImages(context, address, client);
    }
    return (await context.images.png(address)).reply();
  },
});

function validateAddress(address: string): void {
  try {
    decodeAddress(address);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    if (error.code === addressErrorCodes.wrongLength) throw new ProposalsError('addressLength');
    throw new ProposalsError('badAddress', { reason: error.message });
  }
}

/** Counts new images per client, except local clients and addresses of proposals. */
async function limitNewImages(context: ProposalsContext, address: string, client: string): Promise<void> {
  const { imageCounter, imagesPerMinute, listing, now } = context;
  if (imagesPerMinute === 0 || isLoopback(client) || listing.reader.idOfAddress(address) !== undefined) return;
  if ((await imageCounter.hit(countedAddress(client))) <= imagesPerMinute) return;
  throw new ProposalsError('qrThrottled', {}, { 'Retry-After': String(secondsToNextMinute(now())) });
}

export const proposalParams = z.object({ id: z.string().regex(/^[1-9][0-9]{0,14}$/) });

export const amountQuery = z.object({
  amount: proposalsApi
    .first(z.string())
    .optional()
    .meta({ type: 'string', description: 'Coins, at most two decimals' }),
});

/** @throws ProposalsError if the proposal does not exist */
export function findProposal({ listing }: ProposalsContext, { id }: z.output<typeof proposalParams>): ListedProposal {
  const listed = listing.find(Number(id));
  if (listed === undefined) throw new ProposalsError('notFound');
  return listed;
}

/** Parses the query parameter. Empty text means no amount. */
export function parseRequestedAmount(text = ''): RequestedAmount {
  if (text.trim() === '') return undefined;
  const amount = text.length > MAX_AMOUNT_LENGTH ? undefined : parseAmount(text);
  const isValid = amount !== undefined && amount > 0n && amount <= MAX_AMOUNT;
  return isValid ? { amount } : { invalid: text.slice(0, MAX_AMOUNT_LENGTH) };
}

/** Route for the QR code of a proposal: its donation address, or a payment URI if an amount is given. */
function proposalQrRoute(format: 'png' | 'svg', contentType: string) {
  return declareProposalsRoute({
    method: 'GET',
    path: `/proposal/{id}/qr.${format}`,
    summary: `The donation address as a QR code (${format.toUpperCase()}); with an amount, a wrkz: URI.`,
    guards: LIMITED,
    params: proposalParams,
    query: amountQuery,
    response: { contentType, description: 'The image' },
    caching: SHORT_CACHING,
    errors: [proposalErrors.notFound, proposalErrors.badAmount],
    handle: async (context, { path, query }) => {
      const { address } = findProposal(context, path).proposal;
      const requested = parseRequestedAmount(query.amount);
      if (requested !== undefined && 'invalid' in requested) throw new ProposalsError('badAmount');
      const text = requested === undefined ? address : paymentUri(address, requested.amount);
      return (await context.images[format](text)).reply();
    },
  });
}

export const getProposalQrPng = proposalQrRoute('png', 'image/png');
export const getProposalQrSvg = proposalQrRoute('svg', 'image/svg+xml');
