export { buildSend, estimateSend, type SendEstimate } from './build-send';
export { dispatchSend, type SendBook } from './dispatch';
export type { BuiltSend } from './finish';
export type { IntentInput, IntentOutput, SendIntent } from './intent';
export * from './ports';
export { PreparedSends } from './prepared';
export type { FeeChoice, SendRequest, SpendView } from './request';
export { estimateSweep, sweep, type SweepEntry, type SweepRequest, type SweepResult } from './sweep';
