interface HookTexts {
  readonly name: string;
  readonly group: string;
  readonly help: string;
}

/** A notification hook: each value is a URL to POST to or a command; empty ones count for nothing. */
export function hookOption<const T extends HookTexts>(texts: T) {
  return { ...texts, type: 'list', default: [] } as const;
}

/** Options that stand beside the hooks of a program, under the same names everywhere. */
export function hookSettings<const T extends { readonly group: string; readonly duringSync: string }>({
  group,
  duringSync,
}: T) {
  return [
    { name: 'notify-during-sync', type: 'boolean', default: false, group, help: duringSync },
    {
      name: 'notify-secret-file',
      type: 'string',
      default: '',
      group,
      help: 'A file with the secret that webhooks are signed with (Standard Webhooks, HMAC-SHA256); empty for none',
    },
  ] as const;
}
