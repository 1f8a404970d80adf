import { defineOptions } from './spec';

const GROUP = 'General';

/** The options every program has. */
export const STANDARD_OPTIONS = defineOptions([
  {
    name: 'help',
    aliases: ['h'],
    type: 'boolean',
    default: false,
    oneShot: true,
    group: GROUP,
    help: 'Show this help and exit',
  },
  {
    name: 'version',
    aliases: ['v'],
    type: 'boolean',
    default: false,
    oneShot: true,
    group: GROUP,
    help: 'Show the version and exit',
  },
  {
    name: 'config-file',
    aliases: ['c', 'config'],
    type: 'string',
    default: undefined,
    oneShot: true,
    group: GROUP,
    help: 'Read options from this INI or JSON file; the command line wins',
  },
  {
    name: 'save-config',
    type: 'string',
    default: undefined,
    oneShot: true,
    group: GROUP,
    help: 'Write the resolved configuration to this file and exit',
  },
  {
    name: 'dump-config',
    type: 'boolean',
    default: false,
    oneShot: true,
    group: GROUP,
    help: 'Print the resolved configuration as JSON (secrets hidden) and exit',
  },
  {
    name: 'explain-config',
    type: 'boolean',
    default: false,
    oneShot: true,
    group: GROUP,
    help: 'Print every value in force and where it came from (secrets hidden) and exit',
  },
]);
