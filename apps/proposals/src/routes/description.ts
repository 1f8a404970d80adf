import { proposalsApi } from '@wrkz/api';
import { VERSION, type ServiceDescription } from '@wrkz/service-kit';
import type { ProposalsContext } from '../context';
import { isForPrograms } from '../refusals';

const { proposalErrors } = proposalsApi;

/** The head of the service's document, and the errors that routes have in common. */
export const PROPOSALS_SERVICE: ServiceDescription<ProposalsContext, never> = {
  title: 'WrkzCoin proposal listing',
  version: VERSION,
  description:
    'Funding proposals of the community. Everything is read-only and asks for no key. Routes below /api/ may be asked from ' +
    'pages of any origin. Errors of routes that people see are pages with the same texts.',
  errorBody: proposalsApi.proposalErrorBody,
  errorPages: ({ path }) => !isForPrograms(path),
  routeErrors: ({ guards }) => [
    ...(guards.limit ? [proposalErrors.rateLimited] : []),
    proposalErrors.encodedBody,
    proposalErrors.bodyTooLarge,
    proposalErrors.internal,
  ],
};
