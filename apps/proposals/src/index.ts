export type { ProposalsConfig } from './config';
export { PROPOSALS_OPTIONS } from './options';
export { parseProgram, readProposalsConfig } from './program';
export { Proposals, type ProposalsOverrides } from './proposals';
export { openProposals } from './store/files';
export { STATUS } from './store/proposal';
export { ProposalWriter } from './store/proposal-writer';
export { openStores } from './store/stores';
