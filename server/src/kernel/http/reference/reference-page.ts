import type { Operation } from "../../contract.ts";
import { document, type HtmlDocument, type Markup, markup } from "../../html/markup.ts";
import type { ReferenceArea, ReferenceEntry } from "./reference-entry.ts";
import { outlineFields, renderInline } from "./schema-outline.ts";

/** The list of all operations, or of search results. */
export function referenceDocument(areas: readonly ReferenceArea[], query: string): HtmlDocument {
  return document({
    title: "API reference",
    wide: { home: "/", menu: renderMenu() },
    body: markup`<h1>API reference</h1>
<p class="lead">Send the headers <code>Authorization: Bearer &hellip;</code> and <code>X-Workspace: &lt;slug&gt;</code>. Requests about your account do not need a workspace. See <a href="/guide/first-steps">First steps</a>.</p>
<form class="search" method="get" action="/docs" role="search"><input name="q" type="search" aria-label="Search" placeholder="Search, such as: publish workflow" maxlength="100" value="${query}"><button>Search</button></form>
${areas.length === 0 && markup`<p>No matching operations.</p>`}
${query === "" && markup`<p class="areas">${areas.map(({ name }) => markup`<a href="#${name}">${name}</a> `)}</p>`}
${areas.map(renderArea)}
<footer>OpenAPI document: <a href="/api/v1/openapi.json">JSON</a>, <a href="/api/v1/openapi.yaml">YAML</a></footer>`,
  });
}

function renderArea({ name, summary, entries }: ReferenceArea): Markup {
  return markup`<section class="group" id="${name}"><h2>${name}</h2><p>${renderInline(summary)} <a href="/docs/try/${name}">Call it in the browser</a></p>
<ul class="operations">${entries.map(
    ({ operation, method, path }) =>
      markup`<li><a href="/docs/operations/${operation.id}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> <span>${operation.summary}</span></a></li>`,
  )}</ul></section>`;
}

/** Renders the page of one operation. */
export function operationDocument(entry: ReferenceEntry): HtmlDocument {
  const { operation, area, method, path } = entry;
  const { summary, description, aliases = [], emits, response } = operation;
  return document({
    title: summary,
    wide: { home: "/", menu: renderMenu() },
    body: markup`<article class="text reference"><p class="faint"><a href="/docs#${area}">${area}</a></p>
<h1>${summary}</h1>
<p><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${description !== undefined && markup`<p>${renderInline(description)}</p>`}
<pre><code>${renderCommand(entry)}</code></pre>
<table><tbody>
${renderRow("Needs", describeAccess(operation))}
${renderRow("Events", emits.map(({ type }) => type).join(", "))}
${renderRow("Fails with", (operation.fails ?? []).map(({ status, code }) => `${status} ${code}`).join(", "))}
${renderRow("Also at", aliases.join(", "))}
</tbody></table>
${renderPart("In the path", outlineFields(operation.params))}
${renderPart("In the query", outlineFields(operation.query))}
${renderPart("In the body", outlineFields(operation.body))}
${renderPart("In the answer", outlineFields(response.body))}
<p><a href="/docs/try/${area}">Call it in the browser</a></p></article>`,
  });
}

function renderMenu(): Markup {
  return markup`<nav class="menu"><a href="/docs">All operations</a><a href="/guide">Guides</a></nav>`;
}

function renderRow(name: string, value: string): Markup | false {
  return value !== "" && markup`<tr><th scope="row">${name}</th><td>${value}</td></tr>`;
}

function renderPart(title: string, fields: Markup | undefined): Markup | undefined {
  return fields && markup`<h2>${title}</h2>${fields}`;
}

function describeAccess({ access, permission }: Operation): string {
  if (permission) return permission.name;
  if (access === "account") return "a login";
  return access === "visitor" ? "a browser, logged in or not" : "nothing";
}

/** Renders the example request as a command, using the variables from the guides. */
function renderCommand({ operation, method, path }: ReferenceEntry): string {
  const { example = {}, access, permission } = operation;
  const params = (example.params ?? {}) as Record<string, string>;
  const filled = path.replaceAll(/\{(\w+)\}/g, (hole, name: string) =>
    params[name] === undefined ? hole : encodeURIComponent(params[name]),
  );
  const query = Object.entries(example.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  const address = `$URL${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const isOpen = access === "public" || access === "visitor";
  return [
    `curl -s${method === "GET" ? "" : ` -X ${method}`} "${address}"`,
    ...(isOpen ? [] : ['-H "$AUTH"']),
    ...(access === "workspace" || permission ? ['-H "$HERE"'] : []),
    ...(example.body === undefined
      ? []
      : [
          `-H "$JSON" \\\n  -d '${JSON.stringify(example.body, null, 2).replaceAll("'", "'\\''")}'`,
        ]),
  ].join(" ");
}
