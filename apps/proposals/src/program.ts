import { dataDirectory, parseCommand } from '@wrkz/service-kit';
import { ADMIN_COMMANDS } from './admin/commands';
import { proposalsConfig, type ProposalsConfig } from './config';
import { PROPOSALS_OPTIONS, optionsComplaint } from './options';

/** What the command line asked for: a command, or to serve. */
export type ParsedProgram = ReturnType<typeof parseProgram>;

/**
 * Resolves the command line (without the program's own words).
 * @throws UsageError, EarlyExit (`--help`, `--version`...) with the text to print
 */
export function parseProgram(argv: readonly string[]) {
  return parseCommand(
    {
      name: 'wrkz-proposals',
      description: 'Lists the funding proposals of the community, for people and for programs.',
      options: PROPOSALS_OPTIONS,
      check: optionsComplaint,
      effective: (values) => ({ 'data-dir': values['data-dir'] ?? dataDirectory('proposals') }),
      commands: ADMIN_COMMANDS,
    },
    argv,
  );
}

/** The configuration of the program that serves. @throws UsageError, also for a command; EarlyExit */
export function readProposalsConfig(argv: readonly string[]): ProposalsConfig {
  const parsed = parseProgram(argv);
  if (parsed.command !== undefined) throw new RangeError(`${parsed.command} serves nothing`);
  return proposalsConfig(parsed.values, parsed);
}
