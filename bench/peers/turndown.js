// SPDX-License-Identifier: Apache-2.0

// turndown reads a JSON array of HTML texts and writes one of their Markdown.
const TurndownService = require('turndown')
const { gfm } = require('@joplin/turndown-plugin-gfm')

const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
service.use(gfm)
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'))
process.stdout.write(JSON.stringify(texts.map(text => {
  try { return service.turndown(text) } catch (e) { return '' }
})))
