export { type DaemonConfig, readConfig } from './config/config';
export { DAEMON_OPTIONS } from './config/options';
export { Daemon, type DaemonOverrides, type DaemonComponents } from './daemon';
export { JOURNAL_TOPICS } from './events/journal/entry';
export { JournalReader } from './events/journal/reader';
export { JournalWriter } from './events/journal/writer';
