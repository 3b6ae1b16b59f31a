import { document, type HtmlDocument, type Markup, markup } from "#kernel/html/markup.ts";
import { PLATFORM_VERSION } from "#kernel/settings.ts";

/** The start page of an installation without a console, with instructions to build it. */
export function homeDocument(prefix: string): HtmlDocument {
  return document({
    title: "Millrace",
    wide: { home: `${prefix}/`, menu: undefined },
    body: markup`<h1>This installation serves only the API</h1>
<p class="lead">The console is disabled or was not built. The log has the reason.</p>
<section class="group"><h2>Enable the console</h2>
<p>Install everything with <code>npm ci</code>, then run <code>npm start</code>, which builds the console. To use an
existing build, set <code>MILLRACE_CONSOLE</code> to its folder.</p></section>
<section class="group"><h2>Use the API</h2><ul class="cards">${[
      tile(`${prefix}/guide/first-steps`, "First steps", "Log in and make the first API calls"),
      tile(`${prefix}/guide`, "Guides", "How to use and operate Millrace"),
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
