import { clip } from './printable.js';

/** A JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A copy of a result's `data`: JSON values only, frozen. */
export type SafeData = { readonly [key: string]: JsonValue };

const MAX_BYTES = 8 * 1024;
const MAX_DEPTH = 5;
const CUT = '[truncated]';
// Once the budget is spent, each level that is left may still say twice that it was cut.
const ROOM_FOR_CUTS = MAX_DEPTH * 48;

interface Budget {
  left: number;
  readonly path: Set<object>;
}

/**
 * Copies `data` as JSON-safe values: at most 8 KiB of JSON and 5 levels, cut beyond. A getter that throws, a cycle or
 * a function costs that value only. What was passed in is neither frozen nor changed. Never throws.
 */
export function copyData(data: unknown): SafeData | undefined {
  if (data === undefined || data === null) return undefined;
  const budget: Budget = { left: MAX_BYTES - ROOM_FOR_CUTS, path: new Set() };
  const copy = copyValue(data, 1, budget);
  if (copy === undefined) return undefined;
  return typeof copy === 'object' && copy !== null && !Array.isArray(copy)
    ? (copy as SafeData)
    : Object.freeze({ value: copy });
}

function spend(budget: Budget, bytes: number): boolean {
  budget.left -= bytes;
  return budget.left >= 0;
}

function copyText(text: string, budget: Budget): JsonValue {
  const room = Math.max(0, budget.left - 2);
  // Escapes and UTF-8 make a text longer than its length; six bytes a character is the worst of both.
  let cut = text.length > room ? clip(text, room) : text;
  let size = jsonBytes(cut);
  while (size > room && cut.length > 0) {
    cut = clip(text, Math.floor((cut.length - 1) * Math.min(0.9, room / size)));
    size = jsonBytes(cut);
    if (cut === '…') break;
  }
  if (!spend(budget, size)) return CUT;
  return cut;
}

function jsonBytes(text: string): number {
  const json = JSON.stringify(text);
  let bytes = json.length;
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
  }
  return bytes;
}

function copyValue(value: unknown, depth: number, budget: Budget): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
      return copyText(value, budget);
    case 'number':
      return Number.isFinite(value) ? (spend(budget, 24) ? value : CUT) : copyText(String(value), budget);
    case 'boolean':
      return spend(budget, 5) ? value : CUT;
    case 'bigint':
      return copyText(String(value), budget);
    case 'object':
      if (value === null) return spend(budget, 4) ? null : CUT;
      try {
        return copyObject(value, depth, budget);
      } catch {
        return copyText('[unreadable]', budget);
      }
    default:
      return undefined;
  }
}

function copyObject(given: object, depth: number, budget: Budget): JsonValue | undefined {
  if (ArrayBuffer.isView(given) || given instanceof ArrayBuffer) return copyText(`[${given.byteLength} bytes]`, budget);
  const toJson: unknown = (given as { toJSON?: unknown }).toJSON;
  // What it returns is not asked again, as with JSON.stringify: it might answer so for ever.
  const value: unknown = typeof toJson === 'function' ? toJson.call(given) : given;
  if (typeof value !== 'object' || value === null) return copyValue(value, depth, budget);
  if (budget.path.has(value)) return copyText('[circular]', budget);
  if (depth > MAX_DEPTH) return copyText(CUT, budget);
  if (!spend(budget, 2)) return CUT;
  budget.path.add(value);
  try {
    return Array.isArray(value) ? copyArray(value, depth, budget) : copyRecord(value, depth, budget);
  } finally {
    budget.path.delete(value);
  }
}

function copyArray(value: readonly unknown[], depth: number, budget: Budget): JsonValue {
  const copy: JsonValue[] = [];
  for (const item of value) {
    if (!spend(budget, 1)) {
      copy.push(CUT);
      break;
    }
    copy.push(copyValue(item, depth + 1, budget) ?? copyValue(null, depth, budget) ?? null);
  }
  return Object.freeze(copy);
}

function copyRecord(value: object, depth: number, budget: Budget): JsonValue {
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    if (!spend(budget, jsonBytes(key) + 2)) {
      define(copy, '…', CUT);
      break;
    }
    let item: unknown;
    try {
      item = (value as Record<string, unknown>)[key];
    } catch {
      item = '[unreadable]';
    }
    const safe = copyValue(item, depth + 1, budget);
    if (safe !== undefined) define(copy, key, safe);
  }
  return Object.freeze(copy);
}

// Plain assignment to "__proto__" would set the prototype instead of a key.
function define(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
