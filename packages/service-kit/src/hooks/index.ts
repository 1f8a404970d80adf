export { BACK_OFF, type BackOff } from './durable-receiver';
export { type EventFeed, type FeedEntry, FeedGap, type HookEvent, type HookField } from './event';
export { type HookSpec, type HookState, NotificationHooks, type NotificationHooksOptions } from './hooks';
export { HOOK_QUEUE, type HookCounts } from './receiver';
export { hookOption, hookSettings } from './target';
