export { readPowHelperConfig, type PowHelperConfig } from './config';
export { OPTIONS } from './options';
export { PowHelper, type PowHelperOverrides } from './pow-helper';
