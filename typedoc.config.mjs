// @ts-check
import { subpaths } from './.ci/subpaths.mjs';

/** @type {Partial<import('typedoc').TypeDocOptions> & Partial<import('typedoc-plugin-markdown').PluginOptions>} */
const options = {
  entryPoints: subpaths().map(({ source }) => source),
  plugin: ['typedoc-plugin-markdown'],
  // Shapes that exist for one signature only: their members say it all.
  intentionallyNotExported: [
    'Answered',
    'Asked',
    'Done',
    'FastifyReply',
    'FastifyReplyLike',
    'FastifyRequest',
    'Handle',
  ],
  outputs: [
    { name: 'html', path: 'docs/api/html' },
    { name: 'markdown', path: 'docs/api/markdown' },
  ],
  name: 'health-controller',
  readme: 'none',
  // Tests and examples have types of their own to be checked, by another step.
  tsconfig: '.ci/tsconfig.src.json',
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  treatWarningsAsErrors: true,
};

export default options;
