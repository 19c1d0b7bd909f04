import type { Format } from './format.js';
import { healthJsonFormat } from './health-json.js';
import { jsonFormat } from './json.js';
import { textFormat } from './text.js';

export type { Format } from './format.js';

/** Every format, in the order in which they are preferred where the client does not mind. */
export const FORMATS: readonly Format[] = [jsonFormat, healthJsonFormat, textFormat];

export const JSON_FORMAT: Format = jsonFormat;

const BY_NAME = new Map(FORMATS.flatMap((format) => format.names.map((name) => [name, format])));

export function formatNamed(name: string): Format | undefined {
  return BY_NAME.get(name);
}

/** What a client may ask for, as the body of a 406 says it. */
export const FORMAT_LIST: string = FORMATS.map(({ names, mediaType }) => `${names.join(' or ')}: ${mediaType}`).join(
  '\n',
);
