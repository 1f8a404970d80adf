export * from './base';
export * from './cli/lifecycle';
export {
  defineOptions,
  EarlyExit,
  type OptionSpec,
  type OptionValue,
  type OptionValues,
  STANDARD_OPTIONS,
  UsageError,
} from './cli/options';
export * from './cli/option-groups';
export * from './cli/program';
export type { OptionSource } from './cli/config-file';
export * from './log/logger';
export { loggerFromOptions, type LoggerSettings, type LoggingConfig } from './log/from-options';
export * from './http/app';
export { docsRoutes, type DocsOptions } from './http/docs';
export * from './http/guards';
export * from './http/openapi';
export { discoverMethod, openRpcDocument } from './http/openrpc';
export * from './http/observe';
export * from './http/request';
export * from './http/upgrade';
export * from './http/client-address';
export * from './http/listen';
export * from './http/local-socket';
export * from './http/rate-limit';
export * from './http/routes/bind';
export * from './http/routes/declaration';
export * from './http/routes/json-rpc';
export {
  type Fields,
  fieldReader,
  type InvalidField,
  isJsonObject,
  readField,
  type RefuseField,
} from './http/routes/fields';
export * from './http/send';
export { default as appendVary } from 'vary';
export * from './http/server';
export * from './hooks';
export * from './metrics/metrics';
export * from './metrics/health';
