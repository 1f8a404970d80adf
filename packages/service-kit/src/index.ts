export * from './base';
export * from './lifecycle';
export * from './unbuilt';
export * from './options/spec';
export * from './options/standard';
export { parseOptions, type ParsedOptions, type ProgramMeta } from './options/parse';
export * from './options/commands';
export * from './options/groups';
export { type ArgumentSpec, helpText, type HelpPage } from './options/help';
export type { FormerOption, FormerOptions } from './options/command-line';
export type { EffectiveValues, OptionPreset, OptionsCheck } from './options/resolve';
export type { OptionSource } from './options/source';
export { configurationText } from './options/save';
export * from './log/logger';
export { loggerFromOptions, type LoggerSettings, type LoggingConfig } from './log/from-options';
export * from './http/app';
export * from './http/guards';
export * from './http/observe';
export * from './http/request';
export * from './http/upgrade';
export * from './http/client-address';
export * from './http/listen';
export * from './http/local-socket';
export * from './http/rate-limit';
export * from './http/documents/description';
export { openApiDocument, openApiRoute } from './http/documents/openapi';
export { discoverMethod, openRpcDocument } from './http/documents/openrpc';
export * from './http/documents/docs-route';
export * from './http/documents/members-text';
export { jsonSchema } from './http/documents/json-schema';
export * from './http/documents/reference';
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
