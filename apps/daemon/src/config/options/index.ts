import { defineOptions } from '@wrkz/service-kit';
import { ACTIONS } from './actions';
import { CONSOLE_AND_LOGGING } from './console-and-logging';
import { NETWORK_AND_STORAGE } from './network-and-storage';
import { P2P } from './p2p';
import { RPC } from './rpc';
import { STRATUM } from './stratum';

/** Every start-up option of the daemon, declared once: command line, file, help and documents are printed from here. */
export const DAEMON_OPTIONS = defineOptions([
  ...NETWORK_AND_STORAGE,
  ...RPC,
  ...P2P,
  ...STRATUM,
  ...ACTIONS,
  ...CONSOLE_AND_LOGGING,
]);
