export { DEFAULT_POW_SERVER, powServerUrl, type PowServerSettings } from './pow-client/endpoint';
export { PowClient, type PowAnswer, type PowClientOptions, type PowRequest } from './pow-client/pow-client';
export { PowServerFailure } from './pow-client/server-connection';
export * from './sync';
