import { versionLine } from '@wrkz/service-kit';
import type { ConsoleCommand } from '../command';
import { ban, getBans, setBans } from './ban';
import { printBlock, printChain } from './blocks';
import { compactDb } from './compact-db';
import { dbStatus, save } from './database';
import { logTail, setLog } from './log';
import { printConnections, printPeerList } from './peers';
import { printPool, printPoolShort } from './pool';
import { exit, quit, stop } from './session';
import { status } from './status';
import { stratumStatusCommand } from './stratum';
import { snapshotExport } from './snapshot-export';
import { heightCommand, pruneStatus, syncInfo, syncPeers, syncTune } from './sync';
import { printTransaction } from './transactions';

function helpText(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 3;
  const lines = COMMANDS.map(({ name, help: text }) => `  ${name.padEnd(width)}${text}\n`);
  return `${versionLine('wrkz-daemon')}\nCommands:\n${lines.join('')}`;
}

const help: ConsoleCommand = { name: 'help', help: 'Show this help', run: helpText };

/** Every command, in the order in which `help` lists them. */
export const COMMANDS: readonly ConsoleCommand[] = [
  help,
  { ...help, name: '?' },
  exit,
  quit,
  stop,
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
  printBlock,
  printTransaction,
  printPool,
  printPoolShort,
  stratumStatusCommand,
  save,
  setLog,
  logTail,
  ban,
  getBans,
  setBans,
  compactDb,
  snapshotExport,
];
