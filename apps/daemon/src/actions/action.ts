import type { Action, DaemonConfig } from '../config/config';

/** What an action needs of its surroundings. */
export interface ActionParts {
  readonly config: DaemonConfig;
  /** A line for whoever started the program. */
  readonly notice: (line: string) => void;
  readonly stream: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** The starts that do one thing and end. */
export type OneShot = Exclude<Action, 'serve'>;

/** Does its one thing. @returns the exit code @throws Error with a message for the operator */
export type RunOneShot = (parts: ActionParts) => Promise<number>;
