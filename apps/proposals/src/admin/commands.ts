import { proposalsApi } from '@wrkz/api';
import { defineCommands, defineOptions, inGroup } from '@wrkz/service-kit';
import { DATA_OPTIONS } from '../options';

const CHANGE = 'Change';

function flag<Name extends string>(name: Name, help: string) {
  return { name, default: false, oneShot: true, help } as const;
}

const CHANGE_OPTIONS = defineOptions([
  ...DATA_OPTIONS,
  ...inGroup(CHANGE, [
    {
      name: 'note',
      default: '',
      oneShot: true,
      help: 'Reason, recorded in the audit log',
    },
    flag('dry-run', 'Validate and print the change without making it'),
  ]),
]);

const FILE = { name: 'file', help: 'Markdown with front matter; - reads standard input' };
const ID = { name: 'id', help: 'Id of the proposal' };

const STATUS = { name: 'status', help: `0 to 4, or ${proposalsApi.PROPOSAL_STATUSES.join(', ')}` };
const IMPORT_PATH = {
  name: 'path',
  help: 'A folder of Markdown files, one file, or a .json file with a response of the listing API',
};

/** The commands of the operator. */
export const ADMIN_COMMANDS = defineCommands([
  { name: 'admin add', help: 'Add a proposal', options: CHANGE_OPTIONS, arguments: [FILE] },
  { name: 'admin edit', help: 'Change fields of a proposal', options: CHANGE_OPTIONS, arguments: [ID, FILE] },
  { name: 'admin status', help: 'Change the status', options: CHANGE_OPTIONS, arguments: [ID, STATUS] },
  {
    name: 'admin list',
    help: 'List the proposals, or all changes',
    options: defineOptions([
      ...DATA_OPTIONS,
      ...inGroup(CHANGE, [
        {
          name: 'status',
          type: 'string',
          default: undefined,
          choices: proposalsApi.PROPOSAL_STATUSES,
          oneShot: true,
          help: 'Only proposals of this status',
        },
        flag('audit', 'List all changes with time and account'),
      ]),
    ]),
  },
  {
    name: 'admin import',
    help: 'Add proposals from files in one transaction',
    options: defineOptions([
      ...CHANGE_OPTIONS,
      ...inGroup(CHANGE, [flag('replace', 'Change the proposals whose ids are in use')]),
    ]),
    arguments: [IMPORT_PATH],
  },
  {
    name: 'admin export',
    help: 'Write all proposals into a folder, for admin import',
    options: DATA_OPTIONS,
    arguments: [{ name: 'folder', help: 'An empty or a new folder' }],
  },
]);
