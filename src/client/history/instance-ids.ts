import { checkValue, entryName, where } from '../../kit.js';

/** What ids of instances are. `uuid`: as in seed 000. `text`: 1 to 256 characters without control characters. */
export type InstanceIdKind = 'uuid' | 'text';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const SCHEMAS = {
  uuid: where((value) => typeof value === 'string' && UUID.test(value), 'a UUID'),
  text: entryName(),
};

/**
 * The id as it is stored: a UUID in lower case, any other id as it is. Refused here, where it is given: a store would
 * refuse the whole batch that it stands in.
 * @throws HealthControllerError `invalid_option`
 */
export function instanceIdOf(at: string, kind: InstanceIdKind, given: unknown): string {
  checkValue(`${at}: the id of the instance`, SCHEMAS[kind], given);
  return kind === 'uuid' ? String(given).toLowerCase() : String(given);
}
