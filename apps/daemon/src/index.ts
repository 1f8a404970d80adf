export { type DaemonConfig, readConfig } from './config/config';
export { DAEMON_OPTIONS } from './config/options';
export { Daemon, type DaemonOverrides, type RunningParts } from './daemon';
