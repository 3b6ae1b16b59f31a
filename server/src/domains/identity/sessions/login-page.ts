import type { Failure } from "#kernel/operation/failure.ts";
import { document, type HtmlDocument, type Markup, markup } from "#kernel/html/markup.ts";

/** The content of a login page, and the target of its form. */
export interface LoginForm {
  /** Why the person has to log in. */
  readonly reason: Markup;
  /** The target of the form, and a hidden field for it. */
  readonly action: string;
  readonly hidden: { readonly name: string; readonly value: string };
  /** The local path to return to after single sign-on. */
  readonly returnTo: string;
  /** The single sign-on URL of the workspace, if it has one. */
  readonly singleSignOn?: string | undefined;
  /** The address from the previous attempt. */
  readonly email?: string;
  readonly failure?: Failure;
}

/** The login page of every HTML page that needs a session. */
export function loginDocument(form: LoginForm): HtmlDocument {
  const { reason, action, hidden, returnTo, singleSignOn, email = "", failure } = form;
  const needsCode = failure !== undefined && /mfa|second_factor/.test(failure.type.code);
  const returnQuery = new URLSearchParams({ returnTo }).toString();
  return document({
    title: "Log in",
    body: markup`<h1>Log in</h1>
<p>${reason}</p>
${failure && renderAlert(failure, returnQuery)}
<form method="post" action="${action}">
<input type="hidden" name="${hidden.name}" value="${hidden.value}">
${loginFields({ email, needsCode })}
</form>
${singleSignOn !== undefined && markup`<p class="or"><a href="${singleSignOn}?${returnQuery}">Log in with single sign-on</a></p>`}`,
  });
}

/** The fields of a login. The code is requested after a correct password if the account has a second factor. */
export function loginFields({
  email,
  needsCode,
}: {
  readonly email: string;
  readonly needsCode: boolean;
}): Markup {
  return markup`<label for="email">E-mail address</label>
<input id="email" name="email" type="text" inputmode="email" autocapitalize="none" spellcheck="false" autocomplete="username" required maxlength="254" value="${email}"${renderAttribute("autofocus", email === "")}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="200"${renderAttribute("autofocus", email !== "")}>
${
  needsCode &&
  markup`<label for="code">Code</label>
<input id="code" name="code" autocomplete="one-time-code" maxlength="40" aria-describedby="code-hint" required>
<p class="faint hint" id="code-hint">From your authenticator app, or a recovery code</p>`
}
<button>Log in</button>
<p class="faint after">Forgot your password? Contact your administrator.</p>`;
}

/** The reason for a failed login, as shown to the person. */
function renderAlert({ type, message, particulars }: Failure, returnQuery: string): Markup {
  const { loginUrl } = particulars.extra ?? {};
  if (typeof loginUrl === "string") {
    return markup`<p class="alarm" role="alert">This account uses single sign-on. <a href="${loginUrl}?${returnQuery}">Log in with single sign-on</a></p>`;
  }
  const words =
    type.code === "mfa_required"
      ? "Your account has a second factor. Enter its code, and your password again."
      : message;
  return markup`<p class="alarm" role="alert">${words}</p>`;
}

function renderAttribute(attribute: "autofocus" | "required", set: boolean): Markup | false {
  return set && (attribute === "required" ? markup` required` : markup` autofocus`);
}
