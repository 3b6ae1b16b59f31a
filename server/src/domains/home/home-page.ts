import type { ServedAppEntry } from "#domains/apps/index.ts";
import { loginFields } from "#domains/identity/sessions/index.ts";
import { document, type HtmlDocument, type Markup, markup } from "#kernel/html/markup.ts";
import { PLATFORM_VERSION } from "#kernel/settings.ts";

export interface WorkspaceApps {
  readonly workspace: { readonly slug: string; readonly name: string };
  readonly apps: readonly ServedAppEntry[];
}

export interface HomePage {
  /** The path under which a proxy serves us. */
  readonly prefix: string;
  readonly person: { readonly name: string } | undefined;
  readonly groups: readonly WorkspaceApps[];
}

/** The first page: a login for strangers; for the others their apps, and where to begin. */
export function homeDocument({ prefix, person, groups }: HomePage): HtmlDocument {
  return document({
    title: person ? "Home" : "Log in",
    wide: { home: `${prefix}/`, menu: person && renderMenu(prefix, person.name) },
    body: person ? homeBody(prefix, person.name, groups) : welcomeBody(prefix),
  });
}

function renderMenu(prefix: string, name: string): Markup {
  return markup`<form class="menu" method="post" action="${prefix}/logout"><span>${name}</span><button class="second">Log out</button></form>`;
}

function welcomeBody(prefix: string): Markup {
  return markup`<h1>Workflows, tables, apps and a service desk</h1>
<p class="lead">This is an installation of Millrace. Log in to open its apps, or read how to use its API.</p>
<div class="halves">
<section class="sheet"><h2>Log in</h2>
<form method="post" action="${prefix}/apps/_login">
<input type="hidden" name="returnTo" value="${prefix}/">
${loginFields({ email: "", needsCode: false })}
</form></section>
<section class="group"><h2>Begin</h2>${renderSteps(prefix)}</section>
</div>
${footer()}`;
}

function homeBody(prefix: string, name: string, groups: readonly WorkspaceApps[]): Markup {
  const served = groups.filter(({ apps }) => apps.length > 0);
  return markup`<h1>Hello, ${name}</h1>
<p class="lead">${
    groups.length === 0
      ? "Your account belongs to no workspace whose apps you may open. Ask the person who invited you."
      : served.length === 0
        ? "No app is deployed in your workspaces yet. Here is how to begin."
        : "Open an app, or build something."
  }</p>
${served.map((group) => renderApps(prefix, group))}
<section class="group"><h2>Begin</h2>${renderSteps(prefix)}</section>
${footer()}`;
}

function renderApps(prefix: string, { workspace, apps }: WorkspaceApps): Markup {
  return markup`<section class="group"><h2>Apps of ${workspace.name}</h2><ul class="cards">${apps.map(
    ({ slug, name, description }) =>
      tile(`${prefix}/apps/${workspace.slug}/${slug}`, name, description || "Open it"),
  )}</ul></section>`;
}

function renderSteps(prefix: string): Markup {
  return markup`<ul class="cards">${[
    tile(
      `${prefix}/guide/first-steps`,
      "First steps",
      "Log in by the API, make something, see what happened",
    ),
    tile(
      `${prefix}/guide/recipes`,
      "Recipes",
      "Branch, loop, call with retries, ask for approval, run on a schedule",
    ),
    tile(`${prefix}/guide/apps`, "Build an app", "Pages on your tables and workflows, for people"),
    tile(`${prefix}/docs`, "API reference", "Every operation, with examples to try"),
  ]}</ul><p class="after"><a href="${prefix}/guide">All guides</a>, by what you want to do</p>`;
}

export function tile(href: string, title: string, about: string): Markup {
  return markup`<li><a class="tile" href="${href}"><strong>${title}</strong><span>${about}</span></a></li>`;
}

export function footer(): Markup {
  return markup`<footer>Millrace ${PLATFORM_VERSION}</footer>`;
}
