import { proposalsApi } from '@wrkz/api';
import { paymentUri } from '../pages/proposal';
import { ProposalRefusal } from '../refusals';
import { declareListingRoute, COUNTED, SHORT_CACHING } from './route';
import { amountQuery, askedAmount, proposalAt, proposalParams } from './proposal-path';

/** The donation address of a proposal as a QR code in one of two forms; with an amount, a payment of so much. */
function qrRoute(form: 'png' | 'svg', contentType: string) {
  return declareListingRoute({
    method: 'GET',
    path: `/proposal/{id}/qr.${form}`,
    summary: `The donation address as a QR code (${form.toUpperCase()}); with an amount, a wrkz: URI.`,
    guards: COUNTED,
    params: proposalParams,
    query: amountQuery,
    response: { contentType, description: 'The image' },
    caching: SHORT_CACHING,
    errors: [proposalsApi.proposalErrors.notFound, proposalsApi.proposalErrors.badAmount],
    handle: async (context, { path, query }) => {
      const { address } = proposalAt(context, path).proposal;
      const asked = askedAmount(query.amount);
      if (asked !== undefined && 'wrong' in asked) throw new ProposalRefusal('badAmount');
      const image = await context.images[form](asked === undefined ? address : paymentUri(address, asked.amount));
      return image.reply();
    },
  });
}

export const getProposalQrPng = qrRoute('png', 'image/png');
export const getProposalQrSvg = qrRoute('svg', 'image/svg+xml');
