import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.js';
import { Supervisor } from '../../src/index.js';
import { diskSpace, eventLoopDelay, httpCheck, writableDirectory } from '../../src/presets/index.js';
import { type DocumentedOption, documentedOptions } from './support/documented-options.js';
import { thrownBy } from './support/refusal.js';
import { TAKERS } from './support/takers.js';

interface PageRow {
  /** The types that the heading above names. */
  readonly types: readonly string[];
  readonly option: string;
  readonly default: string;
  readonly zero: string;
  readonly absent: string;
}

const page = readFileSync(new URL('../../docs/reference/defaults.md', import.meta.url), 'utf8');

/** The rows of four cells. */
function pageRows(): PageRow[] {
  let types: string[] = [];
  return page.split('\n').flatMap((line) => {
    if (line.startsWith('#')) types = [...line.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '');
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const [option = '', default_ = '', zero = '', absent = ''] = cells;
    if (cells.length !== 4 || !option.startsWith('`')) return [];
    return [{ types, option: option.replaceAll('`', ''), default: default_.replace(/^`(.*)`$/, '$1'), zero, absent }];
  });
}

const rows = pageRows();
const rowsOf = (type: string) => rows.filter(({ types }) => types.includes(type));
const rowOf = (name: string) => {
  const [type = '', ...path] = name.split('.');
  return rowsOf(type).find(({ option }) => option === path.join('.'));
};

const all = documentedOptions(/./);
const hasDefault = ({ defaultValue }: DocumentedOption) => defaultValue !== undefined;

describe('docs/reference/defaults.md', () => {
  it.each(all.filter(hasDefault))('has $name with the default of its docstring', ({ name, defaultValue }) => {
    expect(rowOf(name)?.default).toBe(defaultValue);
  });

  it('has every option of the controller, its services, checks and supervisors', () => {
    const options = documentedOptions(/^config\/options\.ts$/).filter(({ optional }) => optional);
    expect(options.length).toBeGreaterThan(50);
    for (const { name } of options) expect(rowOf(name), name).toBeDefined();
  });

  it('has no option that there is not, and no default that no docstring gives', () => {
    for (const { types, option, default: default_ } of rows) {
      const found = types.flatMap((type) => all.filter(({ name }) => name === `${type}.${option}`));
      expect(found.length, `${types.join()} ${option}`).toBeGreaterThan(0);
      if (!found.some(hasDefault)) expect(default_, option).toBe('none');
    }
  });

  // The figures of DEFAULTS are those that were seen at work: defaults.test.ts.
  it('agrees with what the controller does', () => {
    const TYPES = {
      controller: 'ControllerOptions',
      service: 'ServiceDescription',
      restartPolicy: 'RestartPolicy',
      stopOnGiveUp: 'StopOnGiveUp',
      supervisor: 'SupervisorOptions',
      check: 'HealthCheck',
    } as const;
    for (const [group, options] of Object.entries(DEFAULTS)) {
      for (const [option, value] of Object.entries(options)) {
        const name = `${TYPES[group as keyof typeof DEFAULTS]}.${option}`;
        const row = name === 'SupervisorOptions.detachTimeoutMs' ? rowOf('DetachOptions.timeoutMs') : rowOf(name);
        const said = row?.default === 'none' ? row.absent.replaceAll('`', '') : row?.default.replaceAll("'", '');
        expect(said, name).toContain(String(value));
      }
    }
  });

  it('says of every number of the controller whether 0 is refused', () => {
    const GIVE: Readonly<Record<string, (options: object) => unknown>> = {
      ControllerOptions: TAKERS.controller.give,
      ServiceDescription: TAKERS.service.give,
      RestartPolicy: TAKERS.restartPolicy.give,
      StopOnGiveUp: TAKERS.stopOnGiveUp.give,
      HealthCheck: TAKERS.polledCheck.give,
      WhenReadyOptions: TAKERS.whenReady.give,
      SupervisorOptions: TAKERS.supervisor.give,
    };
    let numbers = 0;
    for (const [type, give] of Object.entries(GIVE)) {
      for (const { option, zero } of rowsOf(type).filter((row) => row.zero !== '–')) {
        numbers += 1;
        const error = thrownBy(() => give({ [option]: 0 }));
        expect(error === undefined ? 'taken' : 'refused', `${type}.${option}`).toBe(
          zero === 'refused' ? zero : 'taken',
        );
      }
    }
    expect(numbers).toBeGreaterThan(25);
  });

  it('says of the time to detach a child that 0 is taken', async () => {
    const supervisor = new Supervisor();
    supervisor.attach({ name: 'job', start: () => {} });
    await supervisor.detach('job', { timeoutMs: 0 });
    expect(rowOf('DetachOptions.timeoutMs')?.zero).not.toBe('refused');
  });

  it('says what ready-made checks are called and how often they run', () => {
    const checks = {
      httpCheck: httpCheck({ url: 'http://localhost' }),
      diskSpace: diskSpace({ path: '/' }),
      writableDirectory: writableDirectory({ path: '/tmp' }),
      eventLoopDelay: eventLoopDelay(),
    };
    for (const [made, { name, intervalMs }] of Object.entries(checks)) {
      expect(page).toContain(`| \`${made}()\` | \`${name}\` | \`${intervalMs}\` |`);
    }
  });
});
