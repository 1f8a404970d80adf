export { parseCommandLine, type ProposalsConfig, readProposalsConfig } from './config';
export { PROPOSALS_OPTIONS } from './options';
export { Proposals, type ProposalsOverrides } from './proposals';
export { openProposals, openStores } from './store/database';
export { STATUS } from './store/proposal';
export { ProposalWriter } from './store/proposals';
