import type { Caller, Credential, Membership } from "#kernel/access/caller.ts";
import type { PlatformServices, ReadContext, WriteContext } from "#kernel/contract.ts";
import { equalBytes, hmac, sha256 } from "#kernel/access/crypto.ts";
import type { HtmlDocument } from "#kernel/html/markup.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import { type Application, isRegisteredRedirect } from "../applications/application.ts";
import * as applications from "../applications/store.ts";
import { ConsentDenied, ConsentGranted } from "../events.ts";
import {
  type AuthorizationRequest,
  redirectBack,
  UnknownApplication,
  UnknownRedirect,
} from "./request.ts";
import { insertGrant } from "../grant-store.ts";
import { consentPage, strangerPage, workspacePage } from "./pages.ts";
import { AGENT_SCOPE, effectivePermissions, isReadingScope } from "../scope.ts";
import { CODE_MS, newCode } from "../tokens/token.ts";

const FORM_MS = 10 * 60_000;

/** The content of a consent form, signed so that a decision applies only to the displayed request. */
interface ConsentForm {
  /** The id of the grant that the decision inserts; it is unique, so a form can be used only once. */
  readonly grantId: string;
  readonly sessionId: string;
  readonly clientId: string;
  /** The document of the client at the time when the page was shown. */
  readonly document?: Pick<Application, "name" | "redirectUris" | "allowedScopes">;
  readonly workspace: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
  readonly challenge: string;
}

function signForm(
  services: Pick<PlatformServices, "masterKey" | "clock">,
  form: ConsentForm,
): string {
  const content = JSON.stringify({ ...form, expiresAtMs: services.clock.nowMs() + FORM_MS });
  const text = Buffer.from(content).toString("base64url");
  return `${text}.${signature(services, text).toString("base64url")}`;
}

/** Undefined if it was not signed here, or has expired. */
function verifyForm(
  services: Pick<PlatformServices, "masterKey" | "clock">,
  signed: string,
): ConsentForm | undefined {
  const [text = "", signatureText = ""] = signed.split(".");
  if (!equalBytes(signature(services, text), Buffer.from(signatureText, "base64url")))
    return undefined;
  const form = JSON.parse(Buffer.from(text, "base64url").toString()) as ConsentForm & {
    readonly expiresAtMs: number;
  };
  return form.expiresAtMs > services.clock.nowMs() ? form : undefined;
}

function signature({ masterKey }: Pick<PlatformServices, "masterKey">, text: string): Buffer {
  return hmac(masterKey.derive("oauth consent forms"), text);
}

export const FormExpired = failure(
  "oauth_form_expired",
  400,
  "This page has expired. Return to the application and start again.",
);
export const FormUsed = failure(
  "oauth_form_used",
  409,
  "This page was already submitted. Return to the application and start again.",
  "oauth_grants_id",
);

/** The session that visits the page: a token must not give consent. */
export function visitorOf({ credential }: Caller): Credential | undefined {
  return credential?.kind === "session" ? credential : undefined;
}

/** Renders the consent page, or redirects if nothing requires consent. */
export function askConsent(
  { services, caller, now }: Pick<ReadContext, "services" | "caller" | "now">,
  visitor: Credential,
  request: AuthorizationRequest,
  { here, otherAccount }: { readonly here: string; readonly otherAccount: string },
): (HtmlDocument & { readonly status?: number }) | { readonly goTo: string } {
  const { client, scopes, redirectUri, state, challenge } = request;
  const own = [...visitor.memberships.values()];
  if (!request.workspace && own.length > 1) {
    return workspacePage(request, {
      memberships: own,
      email: visitor.user.email,
      here,
      otherAccount,
    });
  }
  const membership = request.workspace ? membershipIn(visitor, request.workspace.key) : own[0];
  if (!membership) {
    return { ...strangerPage(request, visitor.user.email, otherAccount), status: 403 };
  }
  if (membership.blockedBy) throw new Failure(membership.blockedBy);
  const granted = effectivePermissions(scopes, client.allowedScopes, membership.permissions);
  // Without the agent scope, the client would appear as the person in the log, and the agent policy would not
  // apply.
  const isNoAgent = client.workspace === null && !granted.includes(AGENT_SCOPE);
  if (granted.length === 0 || isNoAgent) {
    const error_description = "the user has none of the requested permissions";
    return redirectBack(request, { error: "access_denied", error_description, iss: caller.origin });
  }
  const form: ConsentForm = {
    grantId: newId("oag", now.getTime()),
    sessionId: visitor.id,
    clientId: client.documentUrl ?? client.clientId,
    ...(client.documentUrl !== null && {
      document: {
        name: client.name,
        redirectUris: [...client.redirectUris],
        allowedScopes: [...client.allowedScopes],
      },
    }),
    workspace: membership.workspace.key,
    redirectUri,
    scopes: granted,
    state,
    challenge,
  };
  const question = {
    request,
    workspaceName: membership.workspace.name,
    // A client that registered itself is not verified.
    isUnknown: client.workspace === null,
    isReadingOffered: client.workspace === null && !granted.every(isReadingScope),
    email: visitor.user.email,
    scopes: granted,
    lacking: scopes.filter((scope) => !granted.includes(scope)),
    signed: signForm(services, form),
    otherAccount,
  };
  return consentPage(question, services.permissions);
}

/** Records the decision. Checks everything again, because the page may be some minutes old. */
export async function recordDecision(
  ctx: WriteContext<typeof ConsentGranted | typeof ConsentDenied>,
  answer: { readonly request: string; readonly decision: "allow" | "allow_reading" | "deny" },
): Promise<{ readonly goTo: string }> {
  const visitor = visitorOf(ctx.caller);
  const form = verifyForm(ctx.services, answer.request);
  if (!visitor || form?.sessionId !== visitor.id) throw new Failure(FormExpired);
  ctx.switchPartition({ workspace: form.workspace, environment: ctx.caller.environment });
  const application = await findApplication(ctx, form);
  if (!application) throw new Failure(UnknownApplication);
  if (!isRegisteredRedirect(application.redirectUris, form.redirectUri)) {
    throw new Failure(UnknownRedirect);
  }
  const membership = membershipIn(visitor, form.workspace);
  if (!membership || membership.blockedBy) throw new Failure(membership?.blockedBy ?? FormExpired);
  const isReading = answer.decision === "allow_reading";
  const scopes = effectivePermissions(
    isReading ? form.scopes.filter(isReadingScope) : form.scopes,
    application.allowedScopes,
    membership.permissions,
  );
  if (form.scopes.includes(AGENT_SCOPE) && !scopes.includes(AGENT_SCOPE)) {
    throw new Failure(FormExpired);
  }
  const code = answer.decision === "deny" ? undefined : newCode();
  await insertGrant(ctx.tx, {
    id: form.grantId,
    client_id: application.clientId,
    user_id: visitor.user.id,
    scopes,
    redirect_uri: form.redirectUri,
    code_challenge: form.challenge,
    code_hash: code === undefined ? null : sha256(code),
    code_expires_at: new Date(ctx.now.getTime() + CODE_MS),
    revoked_at: code === undefined ? ctx.now : null,
    created_at: ctx.now,
  });
  const resource = { id: form.grantId, displayName: application.name };
  const { grantId } = form;
  const { clientId } = application;
  const data = { grantId, clientId, userId: visitor.user.id, scopes };
  const iss = ctx.caller.origin;
  if (code === undefined) {
    ctx.emit(ConsentDenied, resource, data);
    return redirectBack(form, {
      error: "access_denied",
      error_description: "the user denied the request",
      iss,
    });
  }
  ctx.emit(ConsentGranted, resource, data);
  return redirectBack(form, { code, iss });
}

/** The client of a form; a client with a document is saved with the first answer. */
async function findApplication(
  { tx, now }: Pick<ReadContext, "tx" | "now">,
  { clientId, document }: ConsentForm,
): Promise<Application | undefined> {
  if (!document) return applications.find(tx, clientId);
  const id = newId("oac", now.getTime());
  return applications.putDocumentClient(tx, { ...document, documentUrl: clientId, newId: id, now });
}

function membershipIn({ memberships }: Credential, workspace: string): Membership | undefined {
  return [...memberships.values()].find((membership) => membership.workspace.key === workspace);
}
