export * from './base';
export * from './cli/lifecycle';
export {
  defineOptions,
  EarlyExit,
  inGroup,
  type OptionSpec,
  type OptionValue,
  type OptionValues,
  STANDARD_OPTIONS,
  typeOfOption,
  UsageError,
} from './cli/options';
export * from './cli/option-groups';
export * from './cli/program';
export type { OptionSource } from './cli/config-file';
export { LOG_LEVELS, type LogEntry, type LogFields, type LogLevelName } from './log/format';
export * from './log/logger';
export * from './http/app';
export { docsRoutes, type DocsOptions } from './http/docs';
export * from './http/guards';
export * from './http/openapi';
export * from './http/observe';
export * from './http/request';
export * from './http/upgrade';
export * from './http/client-address';
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
export { BACK_OFF, type BackOff } from './hooks/durable-receiver';
export { type HookSpec, type HookState, NotificationHooks, type NotificationHooksOptions } from './hooks/hooks';
export {
  type EventFeed,
  type FeedEntry,
  FeedGap,
  HOOK_QUEUE,
  type HookCounts,
  type HookEvent,
  type HookField,
} from './hooks/receiver';
export { hookOption, hookSettings } from './hooks/target';
export * from './metrics';
