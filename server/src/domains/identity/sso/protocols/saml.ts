import { generateServiceProviderMetadata, SAML, SamlStatusError } from "@node-saml/node-saml";
import type { Clock } from "#kernel/clock.ts";
import { certificatesOf } from "./certificate.ts";
import type { SamlProvider } from "../settings/configuration.ts";
import { endpointUrls } from "../endpoint-urls.ts";
import { parseEmail, type Identity, buildDisplayName } from "./identity.ts";
import { LoginRefused } from "../login/failure.ts";
import {
  type Assertion,
  toAssertion,
  type Confirmation,
  decodeResponse,
  failedStatusOf,
  responseAttribute,
} from "./saml-assertion.ts";

/** The tolerance for the provider's clock. */
const SKEW_MS = 60_000;
const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const PERSISTENT_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

/** The request that a response must match. */
export interface SentRequest {
  readonly requestId: string;
  readonly acs: string;
}

/** Builds the URL of the provider's sign-on, from which the browser returns with a response. */
export function buildRequestUrl(
  provider: SamlProvider,
  sent: SentRequest,
  relayState: string,
): Promise<string> {
  const saml = new SAML({
    ...buildSamlOptions(provider, sent.acs),
    generateUniqueId: () => sent.requestId,
  });
  return saml.getAuthorizeUrlAsync(relayState, undefined, {});
}

/** Reads the person's identity from a response; rejects one that fails any check. */
export async function verifyResponse(
  provider: SamlProvider,
  sent: SentRequest,
  base64: string,
  clock: Clock,
): Promise<Identity> {
  const xml = decodeResponse(base64);
  const assertion = await verifyAssertion(provider, sent, xml, clock);
  if (assertion.issuer === undefined)
    throw new LoginRefused("issuer_wrong", "The Issuer is missing.");
  if (provider.idpEntityId !== undefined && assertion.issuer !== provider.idpEntityId) {
    throw new LoginRefused("issuer_wrong", `The Issuer is ${assertion.issuer}.`);
  }
  assertEnvelope(xml, sent);
  const expiresAt = findConfirmationExpiry(assertion, sent, clock);
  if (assertion.id === undefined)
    throw new LoginRefused("answer_malformed", "The assertion has no ID.");
  return { ...toIdentity(provider, assertion), assertion: { id: assertion.id, expiresAt } };
}

/** Builds the service provider metadata for the identity provider. */
export function buildMetadata(origin: string, slug: string, entityId: string): string {
  return generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: endpointUrls(origin, slug).acs,
    wantAssertionsSigned: true,
    identifierFormat: EMAIL_FORMAT,
    // The metadata must be identical on each read.
    generateUniqueId: () => `_millrace-${slug}`,
  });
}

/** Replaces the system clock with the database clock, which all nodes share. */
class TimedSaml extends SAML {
  readonly #clock: Clock;

  constructor(options: ConstructorParameters<typeof SAML>[0], clock: Clock) {
    super(options);
    this.#clock = clock;
  }

  protected override checkTimestampsValidityError(
    _now: number,
    ...window: [notBefore: string, notOnOrAfter: string, limitMs?: number]
  ): Error | null {
    return super.checkTimestampsValidityError(this.#clock.nowMs(), ...window);
  }
}

function buildSamlOptions(
  { entityId, ssoUrl, certificate, attributeMapping }: SamlProvider,
  acs: string,
) {
  const certificates = certificatesOf(certificate) ?? [];
  return {
    issuer: entityId,
    audience: entityId,
    callbackUrl: acs,
    entryPoint: ssoUrl,
    idpCert: certificates.map((one) => one.toString()),
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: SKEW_MS,
    // The provider decides which factors it requires.
    disableRequestedAuthnContext: true,
    identifierFormat: attributeMapping.email === undefined ? EMAIL_FORMAT : null,
  };
}

/** Verifies signature, audience and times, and returns the only assertion. */
async function verifyAssertion(
  provider: SamlProvider,
  { acs }: SentRequest,
  xml: string,
  clock: Clock,
): Promise<Assertion> {
  const saml = new TimedSaml(buildSamlOptions(provider, acs), clock);
  const response = { SAMLResponse: Buffer.from(xml).toString("base64") };
  // The library also throws TypeErrors for unexpected input; all of them mean rejection.
  const { profile } = await saml.validatePostResponseAsync(response).catch((error: unknown) => {
    const reason = error instanceof SamlStatusError ? "provider_refused" : "answer_rejected";
    throw new LoginRefused(reason, error instanceof Error ? error.message : "unknown");
  });
  if (!profile)
    throw new LoginRefused("answer_rejected", "The response does not contain an assertion.");
  return toAssertion(profile);
}

/** Checks the unsigned envelope, which can only cause a rejection. */
function assertEnvelope(xml: string, { acs, requestId }: SentRequest): void {
  const failed = failedStatusOf(xml);
  if (failed !== undefined) throw new LoginRefused("provider_refused", `The status is ${failed}.`);
  const destination = responseAttribute(xml, "Destination");
  if (destination !== undefined && destination !== acs) {
    throw new LoginRefused("recipient_wrong", `The Destination is ${destination}.`);
  }
  const inResponseTo = responseAttribute(xml, "InResponseTo");
  if (inResponseTo !== undefined && inResponseTo !== requestId) {
    throw new LoginRefused("request_unknown", "InResponseTo refers to another request.");
  }
}

/** Finds a bearer confirmation for this request, recipient and time; returns its expiry. */
function findConfirmationExpiry(
  { confirmations }: Assertion,
  { acs, requestId }: SentRequest,
  clock: Clock,
): Date {
  const bearer = confirmations.filter(({ method }) => method === BEARER);
  const ours = bearer.filter(({ recipient }) => recipient === acs);
  if (ours.length === 0)
    throw new LoginRefused("recipient_wrong", "The Recipient is not this server.");
  const answers = ours.filter(({ inResponseTo }) => inResponseTo === requestId);
  if (answers.length === 0) {
    throw new LoginRefused(
      "request_unknown",
      "The response belongs to another request, or to none.",
    );
  }
  const untilMs = Math.max(...answers.map((one) => validUntilMs(one, clock.nowMs())));
  if (untilMs <= clock.nowMs())
    throw new LoginRefused("answer_rejected", "The response has expired.");
  return new Date(untilMs);
}

/** The end of validity in milliseconds; 0 if it is not valid now. */
function validUntilMs({ notBefore, notOnOrAfter }: Confirmation, nowMs: number): number {
  const endMs = Date.parse(notOnOrAfter ?? "") + SKEW_MS;
  const startMs = notBefore === undefined ? 0 : Date.parse(notBefore) - SKEW_MS;
  return startMs <= nowMs && nowMs < endMs ? endMs : 0;
}

function toIdentity(
  { attributeMapping: mapping }: SamlProvider,
  { nameId, attributes, issuer = "" }: Assertion,
): Omit<Identity, "assertion"> {
  const values = (name: string | undefined) =>
    name === undefined ? [] : (attributes.get(name) ?? []);
  const nameIds = nameId ? [nameId.value] : [];
  const email = parseEmail(mapping.email === undefined ? nameIds : values(mapping.email));
  return {
    email,
    name: buildDisplayName([values(mapping.firstName)[0], values(mapping.lastName)[0]], email),
    // Only a persistent NameID promises to stay with one person.
    subject: nameId?.format === PERSISTENT_FORMAT ? { issuer, id: nameId.value } : undefined,
    roles: values(mapping.role),
  };
}
