import {
  apiKeyOption,
  bindAddressOption,
  CORS_OPTION,
  inGroup,
  loggingOptions,
  type LogScale,
  METRICS_OPTION,
  NODE_LOG_SCALE,
  parseLogLevel,
  parseOptions,
  portOption,
  secondAddressOption,
  splitList,
  TRUSTED_PROXY_OPTION,
} from '../src';

/** The log levels of a program that numbers them from off. */
const FROM_OFF: LogScale = {
  names: ['disabled', 'fatal', 'error', 'warning', 'info', 'debug', 'trace'],
  numbers: ['disabled', 'fatal', 'error', 'warning', 'info', 'debug', 'trace'],
  help: '0 off to 6 trace',
  complaint: 'expected 0 to 6',
};

const SPECS = inGroup('A', [
  bindAddressOption({ name: 'ip', default: '127.0.0.1', help: 'Interface' }),
  portOption({ name: 'port', default: 7856, min: 1, help: 'Port' }),
  secondAddressOption({ name: 'ip6', default: undefined, help: 'Second' }),
  TRUSTED_PROXY_OPTION,
  apiKeyOption({ name: 'password', default: undefined, help: 'Key' }),
  CORS_OPTION,
  METRICS_OPTION,
  ...loggingOptions({ scale: FROM_OFF, level: '3', file: undefined, fileHelp: 'A file' }),
]);
const parse = (...argv: string[]) => parseOptions(SPECS, argv, { name: 'thing' });

test('a group uses the names and defaults of the program', () => {
  const { values } = parse();
  const format: 'text' | 'json' = values['log-format'];
  const port: number = values.port;
  const second: string | undefined = values.ip6;
  expect([values.ip, port, second, values['trusted-proxy'], values.password]).toEqual([
    '127.0.0.1',
    7856,
    undefined,
    [],
    undefined,
  ]);
  expect([values['enable-cors'], values['enable-metrics'], values['log-level'], values['log-file'], format]).toEqual([
    '',
    false,
    '3',
    undefined,
    'text',
  ]);
});

test.each([
  [['--ip='], '--ip: an IP address is expected'],
  [['--ip6', 'localhost'], '--ip6: an IP address is expected'],
  [['--port', '0'], '--port: 0 is out of range (1 to 65535)'],
  [['--trusted-proxy', '10.0.0.1,nowhere'], '--trusted-proxy: nowhere is not an address or range'],
  [['--enable-cors', 'http://a/'], '--enable-cors: an origin has no trailing slash'],
  [['--log-level', '7'], '--log-level: expected 0 to 6'],
  [['--log-level', 'warn'], '--log-level: expected 0 to 6'],
  [['--log-format', 'xml'], '--log-format: expected one of text, json'],
])('rejects %j', (argv, message) => {
  expect(() => parse(...argv)).toThrow(message);
});

test('option groups', () => {
  expect(parse('--ip6=').values.ip6).toBe('');
  expect(
    splitList(parse('--trusted-proxy', '10.0.0.1, 10.1.0.0/16', '--trusted-proxy=::1').values['trusted-proxy']),
  ).toEqual(['10.0.0.1', '10.1.0.0/16', '::1']);
  expect(parse('--password=hidden-thing').secrets).toEqual(['hidden-thing']);
});

test.each([
  ['0', FROM_OFF, 'disabled'],
  ['1', FROM_OFF, 'fatal'],
  ['6', FROM_OFF, 'trace'],
  ['0', NODE_LOG_SCALE, 'fatal'],
  ['warn', NODE_LOG_SCALE, 'warning'],
  ['toString', NODE_LOG_SCALE, undefined],
  ['3', { ...FROM_OFF, numbers: [] }, undefined],
  ['INFO', FROM_OFF, 'info'],
] as const)('level %s', (text, scale, level) => {
  expect(parseLogLevel(text, scale)).toBe(level);
});
