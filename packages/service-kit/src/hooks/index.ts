export type { HookEvent, HookField } from './event';
export { BACK_OFF, type BackOff } from './durable-receiver';
export { type EventFeed, type FeedEntry, FeedGap } from './feed';
export { HOOK_QUEUE } from './live-receiver';
export { type HookSpec, type HookState, NotificationHooks, type NotificationHooksOptions } from './hooks';
export { hookOption, hookSettings } from './options';
export type { HookCounts } from './receiver';
