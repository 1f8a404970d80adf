export { OPTIONS, type PowHelperConfig, readPowHelperConfig } from './config';
export { PowHelper, type PowHelperOverrides } from './pow-helper';
export { firstAbandoned, nextJob, POLL_TIMEOUT_MS } from './queue/job-queue';
