// SPDX-License-Identifier: Apache-2.0

// node pdf.mjs liteparse|pdf-inspector OUT FILE...: writes each PDF's Markdown
// into the folder OUT.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [peer, out, ...files] = process.argv.slice(2);

const peers = {
  async liteparse() {
    const { LiteParse } = await import('@llamaindex/liteparse');
    const parser = new LiteParse({ ocrEnabled: false, outputFormat: 'markdown' });
    return async (file) => (await parser.parse(file)).text;
  },
  async 'pdf-inspector'() {
    const { processPdf } = await import('@firecrawl/pdf-inspector');
    return (file) => processPdf(readFileSync(file)).markdown ?? '';
  },
};

const read = await peers[peer]();
for (const file of files) {
  let text = '';
  try {
    text = await read(file);
  } catch (e) {
    console.error(`${basename(file)}: ${e.message}`);
  }
  writeFileSync(join(out, basename(file, '.pdf') + '.md'), text);
}
