import { command } from '../executables/materials.mjs';

const ip = (...words) => command('ip', words);

/** A network that nothing leads out of: a bridge, and a namespace for each that joins. Within a network namespace of its own. */
export class Network {
  #joined = 0;

  /** @param {string} prefix the first three bytes of its addresses */
  constructor(prefix) {
    this.prefix = prefix;
    ip('link', 'set', 'lo', 'up');
    ip('link', 'add', 'wrkz0', 'type', 'bridge');
    ip('address', 'add', `${prefix}.1/24`, 'dev', 'wrkz0');
    ip('link', 'set', 'wrkz0', 'up');
  }

  join(name, address) {
    const [here, there] = [`v${++this.#joined}`, `p${this.#joined}`];
    ip('netns', 'add', name);
    ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there);
    ip('link', 'set', there, 'netns', name);
    ip('link', 'set', here, 'master', 'wrkz0');
    ip('link', 'set', here, 'up');
    for (const device of ['lo', there]) ip('-n', name, 'link', 'set', device, 'up');
    ip('-n', name, 'address', 'add', `${address}/24`, 'dev', there);
  }

  leave(name) {
    ip('netns', 'delete', name);
  }

  end() {
    ip('link', 'delete', 'wrkz0');
  }
}
