import { document, type HtmlDocument, type Markup, markup } from "#kernel/html/markup.ts";
import { PLATFORM_VERSION } from "#kernel/settings.ts";

/** The first page of an installation without a console: that there is none, and how to get it. */
export function homeDocument(prefix: string): HtmlDocument {
  return document({
    title: "Millrace",
    wide: { home: `${prefix}/`, menu: undefined },
    body: markup`<h1>This installation serves the API alone</h1>
<p class="lead">Its console is switched off, or was not built; the log of its start says which.</p>
<section class="group"><h2>To get the console</h2>
<p>Install everything with <code>npm ci</code> and begin again with <code>npm start</code>, which builds it. Where it
was built elsewhere, <code>MILLRACE_CONSOLE</code> names its folder.</p></section>
<section class="group"><h2>Without it</h2><ul class="cards">${[
      tile(
        `${prefix}/guide/first-steps`,
        "First steps",
        "Log in by the API, make something, see what happened",
      ),
      tile(`${prefix}/guide`, "Guides", "By what you want to do"),
      tile(`${prefix}/docs`, "API reference", "Every operation, with examples to try"),
    ]}</ul></section>
${footer()}`,
  });
}

export function tile(href: string, title: string, about: string): Markup {
  return markup`<li><a class="tile" href="${href}"><strong>${title}</strong><span>${about}</span></a></li>`;
}

export function footer(): Markup {
  return markup`<footer>Millrace ${PLATFORM_VERSION}</footer>`;
}
