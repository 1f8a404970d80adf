/** A value of a webhook's body. A bigint is written as an exact integer. */
export type HookField = string | number | bigint | boolean;

/** One thing that happened, as receivers are told of it. */
export interface HookEvent {
  /** The first member of a webhook's body. */
  readonly event: string;
  /** What stands for `%s`, `%h`... in a command, by letter. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** The other members of the body, in their order. */
  readonly fields: Readonly<Record<string, HookField>>;
}
