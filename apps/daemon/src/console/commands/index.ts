import { versionLine } from '@wrkz/service-kit';
import type { ConsoleCommand } from '../command';
import { printBlock, printChain, printDigest, printPool, printPoolShort, printTransaction } from './chain';
import { compactDb, dbStatus, save, snapshotExport } from './database';
import { logTail, setLog } from './log';
import { ban, getBans, printConnections, printPeerList, setBans } from './peers';
import { heightCommand, pruneStatus, status, syncInfo, syncPeers, syncTune } from './status';
import { stratumStatus } from './stratum';

const EXITING = [
  '================= EXITING ==================',
  '== PLEASE WAIT, THIS MAY TAKE A LONG TIME ==',
  '============================================',
  '',
].join('\n');

/** An attached console handles `exit` and `quit` itself. Through the route they stop the daemon. */
function stopCommand(name: string, help: string): ConsoleCommand {
  return {
    name,
    help,
    isImmediate: true,
    run: (context) => {
      context.requestStop();
      return EXITING;
    },
  };
}

function helpText(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 3;
  const lines = COMMANDS.map(({ name, help: text }) => `  ${name.padEnd(width)}${text}\n`);
  return `${versionLine('wrkz-daemon')}\nCommands:\n${lines.join('')}`;
}

const help: ConsoleCommand = { name: 'help', help: 'Show this help', run: helpText };

/** Every command, in the order of `help`. */
export const COMMANDS: readonly ConsoleCommand[] = [
  help,
  { ...help, name: '?' },
  stopCommand('exit', 'Shut the daemon down; an attached console leaves the session'),
  stopCommand('quit', 'The same'),
  stopCommand('stop', 'Shut the daemon down, also from an attached console'),
  status,
  heightCommand,
  syncInfo,
  syncPeers,
  syncTune,
  pruneStatus,
  dbStatus,
  printPeerList,
  printConnections,
  printChain,
  printDigest,
  printBlock,
  printTransaction,
  printPool,
  printPoolShort,
  stratumStatus,
  save,
  setLog,
  logTail,
  ban,
  getBans,
  setBans,
  compactDb,
  snapshotExport,
];

/** Completes the name of a command or its first argument. @returns the completions and the text that they replace */
export function completeLine(line: string): [completions: string[], completed: string] {
  const [name = '', ...words] = line.trimStart().split(/\s+/);
  const [word = '', ...more] = words;
  if (more.length > 0) return [[], ''];
  const completed = words.length === 0 ? name : word;
  const candidates =
    words.length === 0 ? COMMANDS.map((command) => command.name) : COMMANDS.find((one) => one.name === name)?.words;
  const completions = (candidates ?? []).filter((candidate) => candidate.startsWith(completed));
  return [completions.map((candidate) => `${candidate} `), completed];
}
