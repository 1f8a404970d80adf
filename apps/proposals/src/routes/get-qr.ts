import { proposalsApi } from '@wrkz/api';
import { AddressError, decodeAddress } from '@wrkz/core-types';
import { countedAddress, isLoopback, secondsToNextMinute } from '@wrkz/service-kit';
import type { ProposalsContext } from '../context';
import { ProposalRefusal } from '../refusals';
import { declareListingRoute, COUNTED, LONG_CACHING } from './route';

const { proposalErrors } = proposalsApi;
/** The error of an address of another length. */
const WRONG_LENGTH = 12;

export const getQr = declareListingRoute({
  method: 'GET',
  path: '/api/1/qr',
  summary: 'An address as a QR code of 300 x 300 pixels; the code holds the address alone.',
  guards: COUNTED,
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
    if (address === '') throw new ProposalRefusal('noAddress');
    if (!context.images.hasPng(address)) {
      checkAddress(address);
      await takeTurn(context, address, client);
    }
    return (await context.images.png(address)).reply();
  },
});

function checkAddress(address: string): void {
  try {
    decodeAddress(address);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    if (error.code === WRONG_LENGTH) throw new ProposalRefusal('addressLength');
    throw new ProposalRefusal('badAddress', { reason: error.message });
  }
}

/** Counts an image that has to be drawn, except for this machine and for the addresses of proposals. */
async function takeTurn(context: ProposalsContext, address: string, client: string): Promise<void> {
  const { drawCounter, drawsPerMinute, listing, now } = context;
  if (drawsPerMinute === 0 || isLoopback(client) || listing.isDonationAddress(address)) return;
  if ((await drawCounter.hit(countedAddress(client))) <= drawsPerMinute) return;
  throw new ProposalRefusal('qrThrottled', {}, { 'Retry-After': String(secondsToNextMinute(now())) });
}
