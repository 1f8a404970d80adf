export { type DaemonConfig, readConfig } from './config/config';
export { DAEMON_OPTIONS } from './config/options';
export { Daemon, type DaemonOverrides, type RunningParts } from './daemon';
export { JOURNAL_TOPICS } from './events/journal/journal';
export { JournalReader } from './events/journal/reading';
export { JournalWriter } from './events/journal/writer';
