export type { ProposalsConfig } from './config';
export { OPTIONS } from './options';
export { parseProgram, readProposalsConfig } from './program';
export { Proposals, type ProposalsOverrides } from './proposals';
