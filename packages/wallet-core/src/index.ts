export type * from './ledger/model';
export { DEFAULT_POW_SERVER, powServerUrl, type PowServerSettings } from './pow-client/endpoint';
export { PowClient, type PowAnswer, type PowClientOptions, type PowRequest } from './pow-client/pow-client';
export { powServerOptions, powServerSettings } from './pow-client/options';
export { PowServerFailure } from './pow-client/server-connection';
export * from './spend';
