export { buildSend, estimateSend, type SendEstimate } from './build-send';
export { dispatchSend, type SendBook } from '../send/submit';
export type { BuiltSend } from './sign';
export type { IntentInput, IntentOutput, SendIntent } from './sign';
export * from './model';
export { PreparedSends } from '../send/prepared';
export type { FeeChoice, SendRequest, SpendView } from './model';
export { estimateSweep, sweep, type SweepEntry, type SweepRequest, type SweepResult } from './sweep';
