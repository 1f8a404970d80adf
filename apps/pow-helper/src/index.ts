export { readPowHelperConfig, type PowHelperConfig } from './config';
export { OPTIONS } from './options';
export { PowHelper, type PowHelperOverrides } from './pow-helper';
export { firstAbandoned, nextInTurn, PATIENCE_MS } from './queue/turn';
