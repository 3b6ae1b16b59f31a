import { loginDocument } from "#domains/identity/sessions/index.ts";
import type { Failure } from "#kernel/operation/failure.ts";
import { document, type HtmlDocument, markup } from "#kernel/html/markup.ts";
import type { Permission } from "#kernel/access/permission.ts";
import type { AuthorizationRequest } from "./request.ts";

/** The login page before the consent page; its form carries the query of the request. */
export function loginPage(
  { client }: Pick<AuthorizationRequest, "client">,
  form: { readonly query: string; readonly email?: string; readonly failure?: Failure },
): HtmlDocument {
  const { query, ...attempt } = form;
  const { name, workspace } = client;
  return loginDocument({
    reason: markup`<strong>${name}</strong> asks for access to the workspace <strong>${workspace.name}</strong>.`,
    action: "login",
    hidden: { name: "request", value: query },
    returnTo: `/oauth/authorize?${query}`,
    ...(workspace.singleSignOn && { singleSignOn: `../sso/${workspace.slug}/login` }),
    ...attempt,
  });
}

export interface ConsentQuestion {
  readonly request: AuthorizationRequest;
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
  const { request, email, scopes, lacking, signed, otherAccount } = question;
  const { client, redirectUri } = request;
  const inWords = (scope: string): string =>
    permissions.find(({ name }) => name === scope)?.summary ?? scope;
  return document({
    title: `Allow ${client.name}?`,
    // Chromium applies form-action to all redirects after the form, and an application may redirect to
    // another of its hosts. The page has nothing that such a form could leak.
    formTargets: redirectUri.startsWith("http:") ? ["https:", "http:"] : ["https:"],
    body: markup`<h1>Allow ${client.name} to act for you?</h1>
<dl>
<dt>Workspace</dt><dd>${client.workspace.name}</dd>
<dt>Account</dt><dd>${email} <a href="${otherAccount}">Not you?</a></dd>
<dt>Returns to</dt><dd>${new URL(redirectUri).host}</dd>
</dl>
<p>It will be able to:</p>
<ul>
${scopes.map((scope) => markup`<li>${inWords(scope)}<code>${scope}</code></li>`)}
</ul>
${lacking.length > 0 && markup`<p class="faint">It asked for more, which you may not do yourself and so can't allow: ${lacking.join(", ")}.</p>`}
<form method="post" action="authorize">
<input type="hidden" name="request" value="${signed}">
<div class="choice">
<button class="second" name="decision" value="deny">Deny</button>
<button name="decision" value="allow">Allow</button>
</div>
</form>`,
  });
}

/** For an account that is logged in but is no member of the application's workspace. */
export function strangerPage(
  { client }: AuthorizationRequest,
  email: string,
  otherAccount: string,
): HtmlDocument {
  return document({
    title: "Another account is needed",
    body: markup`<h1>Another account is needed</h1>
<p><strong>${client.name}</strong> asks for access to the workspace <strong>${client.workspace.name}</strong>, which is not open to ${email}.</p>
<p><a href="${otherAccount}">Log in with another account</a></p>`,
  });
}
