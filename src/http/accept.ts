import { FORMATS, type Format, JSON_FORMAT } from './formats/table.js';

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
}

/**
 * The format that an `Accept` header likes best (RFC 9110, 12.5.1): by quality, then by our own order. Absent, empty or
 * without any range that can be read it is JSON. Undefined: none of ours is acceptable.
 */
export function negotiate(accept: string | undefined): Format | undefined {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return JSON_FORMAT;
  const ranges = accept.split(',').flatMap(parseRange);
  if (ranges.length === 0) return JSON_FORMAT;
  let best: Format | undefined;
  let bestQuality = 0;
  for (const format of FORMATS) {
    const quality = qualityOf(format, ranges);
    if (quality > bestQuality) {
      best = format;
      bestQuality = quality;
    }
  }
  return best;
}

/**
 * Whether HTML is liked better than every format of the report, as browsers say it. Where it is liked as well, or no
 * range can be read, the report is meant.
 */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('/')) return false;
  const ranges = accept.split(',').flatMap(parseRange);
  const quality = qualityOf({ mediaType: 'text/html' }, ranges);
  return quality > 0 && FORMATS.every((format) => qualityOf(format, ranges) < quality);
}

/** The most specific range decides: `application/json;q=0, *∕*` is everything but JSON. */
function qualityOf(format: Pick<Format, 'mediaType'>, ranges: readonly Range[]): number {
  const [type = '', subtype = ''] = format.mediaType.split('/');
  let specificity = -1;
  let quality = 0;
  for (const range of ranges) {
    const fits = (range.type === '*' || range.type === type) && (range.subtype === '*' || range.subtype === subtype);
    const own = (range.type === '*' ? 0 : 1) + (range.subtype === '*' ? 0 : 1);
    if (!fits || own < specificity) continue;
    quality = own === specificity ? Math.max(quality, range.quality) : range.quality;
    specificity = own;
  }
  return quality;
}

function parseRange(text: string): Range[] {
  const [range = '', ...parameters] = text.split(';');
  const [type, subtype, more] = range.trim().toLowerCase().split('/');
  if (!type || !subtype || more !== undefined || (type === '*' && subtype !== '*')) return [];
  let quality = 1;
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() !== 'q') continue;
    const given = value.trim();
    if (!/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(given)) return [];
    quality = Number(given);
    break;
  }
  return [{ type, subtype, quality }];
}
