import type { Failure } from "#kernel/failure.ts";
import { document, type Document, type Markup, markup } from "#kernel/markup.ts";
import type { Permission } from "#kernel/permission.ts";
import type { AuthorizationRequest } from "./authorization.ts";

/** Asks who it is. The address is that of the request itself, so that a failed login can go on from it. */
export function loginPage(
  { client }: Pick<AuthorizationRequest, "client">,
  form: { readonly query: string; readonly email?: string; readonly failure?: Failure },
): Document {
  const { query, email = "", failure } = form;
  const wantsCode = failure !== undefined && /mfa|second_factor/.test(failure.type.code);
  return document({
    title: "Log in",
    body: markup`<h1>Log in</h1>
<p><strong>${client.name}</strong> asks for access to the workspace <strong>${client.workspace.name}</strong>.</p>
${failure && alarm(failure, query)}
<form method="post" action="login">
<input type="hidden" name="request" value="${query}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"${mark("autofocus", email === "")}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="200"${mark("autofocus", email !== "")}>
<label for="code">Code${!wantsCode && markup` <span>(if you use a second factor)</span>`}</label>
<input id="code" name="code" autocomplete="one-time-code" maxlength="40" aria-describedby="code-hint"${mark("required", wantsCode)}>
<p class="faint hint" id="code-hint">From your authenticator app, or a recovery code</p>
<button>Log in</button>
</form>
${client.workspace.singleSignOn && markup`<p class="or"><a href="${ssoAddress(client.workspace.slug, query)}">Log in by single sign-on</a></p>`}`,
  });
}

export interface ConsentQuestion {
  readonly request: AuthorizationRequest;
  readonly email: string;
  readonly scopes: readonly string[];
  /** Asked for, but not theirs to give. */
  readonly lacking: readonly string[];
  readonly signed: string;
  /** Where to log in as somebody else. */
  readonly otherAccount: string;
}

export function consentPage(
  question: ConsentQuestion,
  permissions: readonly Permission[],
): Document {
  const { request, email, scopes, lacking, signed, otherAccount } = question;
  const { client, redirectUri } = request;
  const inWords = (scope: string): string =>
    permissions.find(({ name }) => name === scope)?.summary ?? scope;
  return document({
    title: `Allow ${client.name}?`,
    // Chromium holds the whole way after the form to this, and an application may well send people
    // on to another of its hosts. There is nothing on this page that such a form could give away.
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

/** Somebody is logged in, but can't decide about this workspace. */
export function strangerPage(
  { client }: AuthorizationRequest,
  email: string,
  otherAccount: string,
): Document {
  return document({
    title: "Another account is needed",
    body: markup`<h1>Another account is needed</h1>
<p><strong>${client.name}</strong> asks for access to the workspace <strong>${client.workspace.name}</strong>, which is not open to ${email}.</p>
<p><a href="${otherAccount}">Log in with another account</a></p>`,
  });
}

/** Why the login did not succeed, in words for the one who tried. */
function alarm({ type, message, particulars }: Failure, query: string): Markup {
  const { loginUrl } = particulars.extra ?? {};
  if (typeof loginUrl === "string") {
    return markup`<p class="alarm" role="alert">This account logs in by single sign-on. <a href="${loginUrl}?${returning(query)}">Go there</a></p>`;
  }
  const words =
    type.code === "mfa_required"
      ? "Your account has a second factor: enter its code, and your password once more."
      : message;
  return markup`<p class="alarm" role="alert">${words}</p>`;
}

function ssoAddress(slug: string, query: string): string {
  return `../sso/${slug}/login?${returning(query)}`;
}

function returning(query: string): string {
  return new URLSearchParams({ returnTo: `/oauth/authorize?${query}` }).toString();
}

function mark(attribute: "autofocus" | "required", set: boolean): Markup | false {
  return set && (attribute === "required" ? markup` required` : markup` autofocus`);
}
