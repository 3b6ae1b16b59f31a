import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import { certificatesOf } from "../protocols/certificate.ts";
import { type SsoInput, FIELDS, PROTOCOLS, type SsoConfiguration } from "./configuration.ts";

/** Applies the defaults; throws a failure with all field errors. */
export function normalizeSsoInput(input: SsoInput): SsoConfiguration {
  const nameErrors = checkFieldNames(input);
  // The value of a field of the other protocol is not validated.
  const errors = nameErrors.length > 0 ? nameErrors : checkFieldValues(input);
  assertNoErrors(errors);
  const rules = {
    jitProvisioning: input.jitProvisioning ?? false,
    defaultRole: input.defaultRole ?? "member",
    enforceSSO: input.enforceSSO ?? false,
  };
  return input.protocol === "saml2"
    ? { ...rules, protocol: "saml2", provider: toSamlProvider(input) }
    : { ...rules, protocol: "oidc", provider: toOidcProvider(input) };
}

/** Returns whether a host name is this machine: plain http is accepted only there. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function toSamlProvider({ entityId = "", ssoUrl = "", certificate = "", ...input }: SsoInput) {
  const { attributeMapping = {}, idpEntityId } = input;
  return {
    entityId,
    ssoUrl,
    certificate: certificate.trim(),
    attributeMapping,
    ...(idpEntityId !== undefined && { idpEntityId }),
  };
}

function toOidcProvider({ issuer = "", clientId = "", ...input }: SsoInput) {
  const { scopes = ["openid", "email", "profile"], claimsMapping = {} } = input;
  return { issuer, clientId, scopes: [...new Set(["openid", ...scopes])], claimsMapping };
}

/** Errors for missing fields, and for fields of the other protocol. */
function checkFieldNames(input: SsoInput): FieldError[] {
  const present = new Set(Object.keys(input));
  const missing = FIELDS[input.protocol].required.filter((field) => !present.has(field));
  const foreign = PROTOCOLS.filter((protocol) => protocol !== input.protocol)
    .flatMap((protocol) => [...FIELDS[protocol].required, ...FIELDS[protocol].optional])
    .filter((field) => present.has(field));
  return [
    ...missing.map((field) => ({ path: `/${field}`, message: "is required" })),
    ...foreign.map((field) => ({
      path: `/${field}`,
      message: `is not a field of ${input.protocol}`,
    })),
  ];
}

function checkFieldValues(input: SsoInput): FieldError[] {
  const errors: FieldError[] = [];
  const check = <T>(
    path: string,
    value: T | undefined,
    errorOf: (value: T) => string | undefined,
  ) => {
    const message = value === undefined ? undefined : errorOf(value);
    if (message !== undefined) errors.push({ path, message });
  };
  check("/ssoUrl", input.ssoUrl, urlError);
  check("/issuer", input.issuer, (text) =>
    /[?#]/.test(text) ? "must not have a query or a fragment" : urlError(text),
  );
  check("/entityId", input.entityId, (text) =>
    URL.canParse(text) ? undefined : "must be a URL or URN",
  );
  check("/certificate", input.certificate, (text) =>
    certificatesOf(text) ? undefined : "must be an X.509 certificate with an RSA key",
  );
  check("/defaultRole", input.defaultRole, (text) =>
    text === "owner" ? "must not be owner" : undefined,
  );
  for (const [index, scope] of (input.scopes ?? []).entries()) {
    // The characters that RFC 6749 allows.
    const isValid = /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
    if (!isValid) errors.push({ path: `/scopes/${index}`, message: "is not a valid scope" });
  }
  return errors;
}

function urlError(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return "must be a URL";
  if (url.username !== "" || url.password !== "") return "must not contain credentials";
  const isValid = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
  return isValid ? undefined : "must be an https URL";
}
