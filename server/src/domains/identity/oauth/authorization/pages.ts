import { loginDocument } from "#domains/identity/sessions/index.ts";
import type { Failure } from "#kernel/operation/failure.ts";
import { document, type HtmlDocument, markup } from "#kernel/html/markup.ts";
import type { Membership } from "#kernel/access/caller.ts";
import type { Permission } from "#kernel/access/permission.ts";
import type { AuthorizationRequest } from "./request.ts";

/** The login page before the consent page; its form contains the query of the request. */
export function loginPage(
  { client, workspace }: Pick<AuthorizationRequest, "client" | "workspace">,
  form: { readonly query: string; readonly email?: string; readonly failure?: Failure },
): HtmlDocument {
  const { query, ...attempt } = form;
  const { name } = client;
  return loginDocument({
    // The workspace name is shown only for an application of this workspace.
    reason: client.workspace
      ? markup`<strong>${name}</strong> asks for access to the workspace <strong>${client.workspace.name}</strong>.`
      : markup`<strong>${name}</strong> asks for access.`,
    action: "login",
    hidden: { name: "request", value: query },
    returnTo: `/oauth/authorize?${query}`,
    ...(workspace?.singleSignOn && {
      singleSignOn: `../sso/${encodeURIComponent(workspace.slug)}/login`,
    }),
    ...attempt,
  });
}

export interface ConsentQuestion {
  readonly request: AuthorizationRequest;
  readonly workspaceName: string;
  /** True for a self-registered client, whose name is unverified. */
  readonly isUnknown: boolean;
  /** True if the person can limit the application to read access. */
  readonly isReadingOffered: boolean;
  readonly email: string;
  readonly scopes: readonly string[];
  /** Requested scopes that the account lacks. */
  readonly lacking: readonly string[];
  readonly signed: string;
  /** The URL to log in with another account. */
  readonly otherAccount: string;
}

export function consentPage(
  question: ConsentQuestion,
  permissions: readonly Permission[],
): HtmlDocument {
  const { request, workspaceName, email, scopes, lacking, signed, otherAccount } = question;
  const { isUnknown, isReadingOffered } = question;
  const { client, redirectUri } = request;
  const inWords = (scope: string): string =>
    permissions.find(({ name }) => name === scope)?.summary ?? scope;
  return document({
    title: `Allow ${client.name}?`,
    // Chromium applies form-action to all redirects after the form, and an application may redirect to another of
    // its hosts. The page contains nothing that such a form could leak.
    formTargets: redirectUri.startsWith("http:") ? ["https:", "http:"] : ["https:"],
    body: markup`<h1>Allow ${client.name} to act for you?</h1>
<dl>
<dt>Workspace</dt><dd>${workspaceName}</dd>
<dt>Account</dt><dd>${email} <a href="${otherAccount}">Not you?</a></dd>
<dt>Returns to</dt><dd>${new URL(redirectUri).host}</dd>
${client.documentUrl !== null && markup`<dt>Identified by</dt><dd>${new URL(client.documentUrl).host}</dd>`}
</dl>
${isUnknown && markup`<p class="faint">This application is not registered in the workspace. It calls itself ${client.name}. Allow it only if you have just connected it yourself.</p>`}
<p>It will be able to:</p>
<ul>
${scopes.map((scope) => markup`<li>${inWords(scope)}<code>${scope}</code></li>`)}
</ul>
${lacking.length > 0 && markup`<p class="faint">It also requests permissions that you do not have and can't allow: ${lacking.join(", ")}.</p>`}
<form method="post" action="authorize">
<input type="hidden" name="request" value="${signed}">
<div class="choice">
<button class="second" name="decision" value="deny">Deny</button>
${isReadingOffered && markup`<button class="second" name="decision" value="allow_reading">Allow read access</button>`}
<button name="decision" value="allow">Allow${isReadingOffered && " all"}</button>
</div>
</form>`,
  });
}

/** The page for an account that is logged in but not a member of the application's workspace. */
export function strangerPage(
  { client, workspace }: AuthorizationRequest,
  email: string,
  otherAccount: string,
): HtmlDocument {
  return document({
    title: "Another account is needed",
    body: markup`<h1>Another account is needed</h1>
<p><strong>${client.name}</strong> asks for access to ${client.workspace ? markup`the workspace <strong>${client.workspace.name}</strong>` : (workspace?.slug ?? "a workspace")}, which ${email} is not a member of.</p>
<p><a href="${otherAccount}">Log in with another account</a></p>`,
  });
}

/** The page for a person with several workspaces, if the client names none. */
export function workspacePage(
  { client }: AuthorizationRequest,
  visit: {
    readonly memberships: readonly Membership[];
    readonly email: string;
    readonly here: string;
    readonly otherAccount: string;
  },
): HtmlDocument {
  const { memberships, email, here, otherAccount } = visit;
  return document({
    title: "Choose a workspace",
    body: markup`<h1>Choose a workspace</h1>
<p><strong>${client.name}</strong> asks for access to one of your workspaces.</p>
<ul>
${memberships.map(({ workspace: { slug, name } }) => markup`<li><a href="${`${here}&workspace=${encodeURIComponent(slug)}`}">${name}</a></li>`)}
</ul>
<p class="faint">You are ${email}. <a href="${otherAccount}">Not you?</a></p>`,
  });
}
