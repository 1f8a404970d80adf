import { defineOptions } from '@wrkz/service-kit';
import { ACTIONS } from './actions';
import { CONSOLE } from './console';
import { CONSOLE_AND_LOGGING } from './console-and-logging';
import { EVENTS } from './events';
import { IPC } from './ipc';
import { DATABASE } from './database';
import { FEE } from './fee';
import { NETWORK_AND_STORAGE } from './network-and-storage';
import { NOTIFY } from './notify';
import { P2P } from './p2p';
import { RPC } from './rpc';
import { WEBSOCKET } from './websocket';
import { ZMQ } from './zmq';
import { STORAGE } from './storage';
import { SYNC } from './sync';
import { STRATUM } from './stratum';

/** Every start-up option of the daemon, declared once: command line, file, help and documents are printed from here. */
export const DAEMON_OPTIONS = defineOptions([
  ...NETWORK_AND_STORAGE,
  ...STORAGE,
  ...DATABASE,
  ...RPC,
  ...P2P,
  ...EVENTS,
  ...NOTIFY,
  ...ZMQ,
  ...WEBSOCKET,
  ...SYNC,
  ...FEE,
  ...STRATUM,
  ...ACTIONS,
  ...IPC,
  ...CONSOLE,
  ...CONSOLE_AND_LOGGING,
]);
