export { OPTIONS, readOptions } from './options';
export { PowHelper, type Overrides } from './pow-helper';
