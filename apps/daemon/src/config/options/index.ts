import { defineOptions, type OptionSpec } from '@wrkz/service-kit';
import { ACTIONS } from './actions';
import { CONSOLE } from './console';
import { DATABASE } from './database';
import { EVENTS } from './events';
import { MINING } from './mining';
import { P2P, SYNC } from './p2p';
import { IPC, RPC } from './rpc';
import { NETWORK_AND_STORAGE, STORAGE } from './storage';

/** Every start-up option of the daemon, declared once: command line, file, help and documents are printed from here. */
export const DAEMON_OPTIONS = defineOptions([
  ...NETWORK_AND_STORAGE,
  ...STORAGE,
  ...DATABASE,
  ...RPC,
  ...P2P,
  ...EVENTS,
  ...SYNC,
  ...MINING,
  ...ACTIONS,
  ...IPC,
  ...CONSOLE,
]);

/** Selects options by name, for a command with options of the same meaning. */
export function optionsOf<const S extends readonly OptionSpec[], const Name extends S[number]['name']>(
  specs: S,
  names: readonly Name[],
): Extract<S[number], { readonly name: Name }>[] {
  return specs.filter(({ name }) => (names as readonly string[]).includes(name)) as Extract<
    S[number],
    { readonly name: Name }
  >[];
}
