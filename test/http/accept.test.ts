import { expect, it } from 'vitest';
import { negotiate, prefersHtml } from '../../src/http/accept.js';

const JSON_TYPE = 'application/json';
const HEALTH = 'application/health+json';
const TEXT = 'text/plain';

it.each([
  [undefined, JSON_TYPE],
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['application/json', JSON_TYPE],
  ['application/health+json', HEALTH],
  ['Application/Health+JSON', HEALTH],
  ['text/plain', TEXT],
  ['text/*', TEXT],
  ['text/plain;charset=utf-8', TEXT],
  ['text/html, text/plain;q=0.1', TEXT],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
  ['application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', TEXT],
  ['application/json;q=0.2, text/plain;q=0.3, application/health+json;q=0.25', TEXT],
  ['application/json, application/health+json', JSON_TYPE],
  ['*/*;q=0.1, application/health+json;q=0.2', HEALTH],
  // The most specific range decides.
  ['application/json;q=0, */*', HEALTH],
  ['application/*;q=0, */*', TEXT],
  ['text/*;q=0.9, text/plain;q=0.1, application/json;q=0.5', JSON_TYPE],
  [' application/health+json ; q=0.5 ; x=y , text/plain ; q = 0.4 ', HEALTH],
  // What cannot be read does not count.
  ['nonsense', JSON_TYPE],
  [',,;;==', JSON_TYPE],
  ['text/plain;q=2', JSON_TYPE],
  ['text/plain;q=high, application/health+json;q=0.1', HEALTH],
  ['*/plain', JSON_TYPE],
  ['image/png', undefined],
  ['*/*;q=0', undefined],
  ['application/json;q=0.000', undefined],
  ['text/html', undefined],
])('Accept: %s leads to %s', (accept, expected) => {
  expect(negotiate(accept)?.mediaType).toBe(expected);
});

it.each([
  // Browsers.
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8', true],
  ['text/html, */*; q=0.01', true],
  ['TEXT/HTML', true],
  ['text/html;q=0.1', true],
  ['text/html;level=1, text/plain;q=0.9', true],
  // Whoever likes a report as well, or better, gets it.
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['text/html, application/json', false],
  ['text/html;q=0.5, application/json;q=0.6', false],
  ['text/html;q=0.8, */*;q=0.8', false],
  ['text/html;q=0', false],
  ['text/html;q=0, */*', false],
  ['application/xhtml+xml', false],
  ['text/html;q=2', false],
  ['html', false],
])('%j prefers HTML to every report: %s', (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected);
});
