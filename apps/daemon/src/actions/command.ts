import { type CommandSpec, type OptionSpec, type OptionValue, type ParsedOptions, plainText } from '@wrkz/service-kit';
import { optionsOf } from '../config/options';
import { NETWORK_AND_STORAGE } from '../config/options/storage';

/** Max characters of a text of another node in a line. */
const MAX_TEXT = 160;

/** A text of another node for a terminal: truncated, control characters escaped. */
export function shortText(text: string): string {
  const start = plainText(text.slice(0, MAX_TEXT));
  return text.length > MAX_TEXT ? `${start}...` : start;
}

/** Output and cancellation of a command. */
export interface CommandContext {
  /** Prints a line. */
  readonly write: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A command that does one job without a node and exits. */
export interface DaemonCommand extends CommandSpec {
  /** @returns the exit code @throws Error with a message for the operator */
  readonly run: (
    values: Readonly<Record<string, OptionValue>>,
    words: readonly string[],
    context: CommandContext,
  ) => Promise<number>;
}

/** Declares a command; the types of `values` follow from its options. */
export function daemonCommand<const S extends readonly OptionSpec[]>(
  command: Omit<CommandSpec, 'options'> & {
    readonly options: S;
    readonly run: (
      values: ParsedOptions<S>['values'],
      words: readonly string[],
      context: CommandContext,
    ) => Promise<number>;
  },
): DaemonCommand {
  return command as unknown as DaemonCommand;
}

/** The network whose rules and ports a command uses. */
export const COMMAND_NETWORK = optionsOf(NETWORK_AND_STORAGE, ['network']);
