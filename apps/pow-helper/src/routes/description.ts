import { powHelperApi } from '@wrkz/api';
import { VERSION, type ServiceDescription } from '@wrkz/service-kit';
import type { PowContext } from '../context';

/** The head of the service's document, and the errors that routes have in common. */
export const POW_SERVICE: ServiceDescription<PowContext, never> = {
  title: 'WrkzCoin transaction proof-of-work helper',
  version: VERSION,
  description:
    'Computes the proof of work of transactions for wallets. A wallet submits a serialized transaction prefix and copies ' +
    'the 8 bytes of the nonce over the last ones of the prefix.',
  errorBody: powHelperApi.powErrorBody,
  routeErrors: ({ guards }) => [
    ...(guards.key ? [powHelperApi.powErrors.unauthorized] : []),
    ...(guards.limit ? [powHelperApi.powErrors.rateLimited] : []),
    powHelperApi.powErrors.encodedBody,
    powHelperApi.powErrors.bodyTooLarge,
  ],
};
