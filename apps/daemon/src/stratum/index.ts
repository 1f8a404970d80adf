export type { StratumServer } from './server';
export { startStratum } from './start';
export { stratumStatus } from './status';
export { stratumStatusText } from './status-text';
