import { createMarkdownParser } from "#kernel/html/markdown.ts";
import { document, type HtmlDocument, Markup, markup } from "#kernel/html/markup.ts";
import type { Guide, GuideGroup } from "./guide.ts";
import { footer, tile } from "./home-page.ts";

/** The list of guides, by what one wants to do. */
export function guidesDocument(prefix: string, groups: readonly GuideGroup[]): HtmlDocument {
  return document({
    title: "Guides",
    wide: { home: `${prefix}/`, menu: renderMenu(prefix) },
    body: markup`<h1>Guides</h1>
<p class="lead">You can run the command blocks of a guide as printed, from top to bottom.</p>
${groups.map(
  ({ title, guides }) =>
    markup`<section class="group"><h2>${title}</h2><ul class="cards">${guides.map((guide) =>
      tile(`${prefix}/guide/${guide.name}`, guide.title, guide.about),
    )}</ul></section>`,
)}
${footer()}`,
  });
}

/** A guide as a page. */
export async function guideDocument(prefix: string, guide: Guide): Promise<HtmlDocument> {
  return document({
    title: titleOf(guide),
    wide: { home: `${prefix}/`, menu: renderMenu(prefix) },
    body: markup`<article class="text">${await renderGuide(prefix, guide.markdown)}</article>
${footer()}`,
  });
}

function renderMenu(prefix: string): Markup {
  return markup`<nav class="menu"><a href="${prefix}/guide">Guides</a><a href="${prefix}/docs">API reference</a></nav>`;
}

const OTHER_GUIDE = /^([a-z-]+)\.md(#.*)?$/;

/** Our own text, with its links between guides turned to our pages; other files of the repository are not served. */
export async function renderGuide(prefix: string, markdown: string): Promise<Markup> {
  const parser = await createMarkdownParser({ linkify: false });
  const tokens = parser.parse(markdown, {});
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      token.attrSet("id", toAnchor(tokens[index + 1]?.content ?? ""));
    }
    // Pictures are for those who read the repository: here the console itself is a click away.
    token.children = token.children?.filter(({ type }) => type !== "image") ?? null;
    for (const inline of token.children ?? []) {
      if (inline.type !== "link_open") continue;
      const href = String(inline.attrGet("href") ?? "");
      const [, name, anchor = ""] = OTHER_GUIDE.exec(href) ?? [];
      if (name !== undefined) inline.attrSet("href", `${prefix}/guide/${name}${anchor}`);
      else if (!/^(https?:|#)/.test(href)) inline.attrs = null;
    }
  }
  const html = parser.renderer.render(tokens, parser.options, {});
  return new Markup(
    html
      // An empty table heading is not a heading.
      .replaceAll("<th></th>", "<td></td>")
      .replaceAll("<table>", '<div class="scroll" tabindex="0"><table>')
      .replaceAll("</table>", "</table></div>"),
  );
}

export function titleOf({ name, markdown }: Guide): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? name;
}

export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
}
