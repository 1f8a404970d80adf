import { proposalsApi } from '@wrkz/api';
import { defineCommands, defineOptions } from '@wrkz/service-kit';
import { DATA_OPTIONS } from '../options';

const CHANGE = 'Change';

const CHANGE_OPTIONS = defineOptions([
  ...DATA_OPTIONS,
  { name: 'note', type: 'string', default: '', oneShot: true, group: CHANGE, help: 'Why, for the audit' },
  {
    name: 'dry-run',
    type: 'boolean',
    default: false,
    oneShot: true,
    group: CHANGE,
    help: 'Check everything and say what would be done, but change nothing',
  },
]);

const FILE = { name: 'file', help: 'Markdown with a front matter; - reads standard input' };
const ID = { name: 'id', help: 'Number of the proposal' };

/** What the operator can do with proposals. */
export const ADMIN_COMMANDS = defineCommands([
  { name: 'admin add', help: 'Add a proposal', options: CHANGE_OPTIONS, arguments: [FILE] },
  {
    name: 'admin edit',
    help: 'Change a proposal; what the file does not name stays as it is',
    options: CHANGE_OPTIONS,
    arguments: [ID, FILE],
  },
  {
    name: 'admin status',
    help: 'Give a proposal another status',
    options: CHANGE_OPTIONS,
    arguments: [ID, { name: 'status', help: `0 to 4, or ${proposalsApi.PROPOSAL_STATUSES.join(', ')}` }],
  },
  {
    name: 'admin list',
    help: 'List the proposals, or what was changed',
    options: defineOptions([
      ...DATA_OPTIONS,
      {
        name: 'status',
        type: 'string',
        default: undefined,
        choices: proposalsApi.PROPOSAL_STATUSES,
        oneShot: true,
        group: CHANGE,
        help: 'Only those of this status',
      },
      {
        name: 'audit',
        type: 'boolean',
        default: false,
        oneShot: true,
        group: CHANGE,
        help: 'List who changed what and when',
      },
    ]),
  },
  {
    name: 'admin import',
    help: 'Add the proposals of files, all of them or none',
    options: defineOptions([
      ...CHANGE_OPTIONS,
      {
        name: 'replace',
        type: 'boolean',
        default: false,
        oneShot: true,
        group: CHANGE,
        help: 'Where a file names a number that is taken, change that proposal',
      },
    ]),
    arguments: [
      {
        name: 'path',
        help: 'A folder of Markdown files, one of them, or a .json file with an answer of the listing API',
      },
    ],
  },
  {
    name: 'admin export',
    help: 'Write every proposal into a folder, in a form that import reads',
    options: DATA_OPTIONS,
    arguments: [{ name: 'folder', help: 'It must be empty, or not there' }],
  },
]);
