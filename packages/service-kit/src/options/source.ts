/** Where a value came from. */
export type OptionSource = 'default' | 'preset' | 'file' | 'command line';
