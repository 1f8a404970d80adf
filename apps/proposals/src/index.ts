export type { ProposalsConfig } from './config';
export { PROPOSALS_OPTIONS } from './options';
export { parseProgram, readProposalsConfig } from './program';
export { Proposals, type ProposalsOverrides } from './proposals';
