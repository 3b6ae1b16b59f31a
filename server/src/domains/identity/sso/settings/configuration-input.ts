import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { certificatesOf } from "../protocols/certificate.ts";
import { type SsoInput, FIELDS, PROTOCOLS, type SsoConfiguration } from "./configuration.ts";

/** The draft with its defaults; throws a failure that names every fault of it. */
export function normalizeSsoInput(draft: SsoInput): SsoConfiguration {
  const misplacedFaults = misplaced(draft);
  // Whether what does not belong here is right in itself is no matter.
  const faults = misplacedFaults.length > 0 ? misplacedFaults : wrongValues(draft);
  if (faults.length > 0) {
    const [first] = faults;
    throw new Failure(Invalid, { detail: `${first?.path} ${first?.message}`, errors: faults });
  }
  const rules = {
    jitProvisioning: draft.jitProvisioning ?? false,
    defaultRole: draft.defaultRole ?? "member",
    enforceSSO: draft.enforceSSO ?? false,
  };
  return draft.protocol === "saml2"
    ? { ...rules, protocol: "saml2", provider: samlOf(draft) }
    : { ...rules, protocol: "oidc", provider: oidcOf(draft) };
}

/** True for a machine that is this one, by its name: there, and only there, plain http will do. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function samlOf({ entityId = "", ssoUrl = "", certificate = "", ...draft }: SsoInput) {
  const { attributeMapping = {}, idpEntityId } = draft;
  return {
    entityId,
    ssoUrl,
    certificate: certificate.trim(),
    attributeMapping,
    ...(idpEntityId !== undefined && { idpEntityId }),
  };
}

function oidcOf({ issuer = "", clientId = "", ...draft }: SsoInput) {
  const { scopes = ["openid", "email", "profile"], claimsMapping = {} } = draft;
  return { issuer, clientId, scopes: [...new Set(["openid", ...scopes])], claimsMapping };
}

/** What is missing, and what belongs to the other protocol. */
function misplaced(draft: SsoInput): FieldError[] {
  const present = new Set(Object.keys(draft));
  const missing = FIELDS[draft.protocol].required.filter((field) => !present.has(field));
  const foreign = PROTOCOLS.filter((protocol) => protocol !== draft.protocol)
    .flatMap((protocol) => [...FIELDS[protocol].required, ...FIELDS[protocol].optional])
    .filter((field) => present.has(field));
  return [
    ...missing.map((field) => ({ path: `/${field}`, message: "is required" })),
    ...foreign.map((field) => ({
      path: `/${field}`,
      message: `is not a field of ${draft.protocol}`,
    })),
  ];
}

function wrongValues(draft: SsoInput): FieldError[] {
  const faults: FieldError[] = [];
  const check = <T>(
    path: string,
    value: T | undefined,
    fault: (value: T) => string | undefined,
  ) => {
    const message = value === undefined ? undefined : fault(value);
    if (message !== undefined) faults.push({ path, message });
  };
  check("/ssoUrl", draft.ssoUrl, addressFault);
  check("/issuer", draft.issuer, (text) =>
    /[?#]/.test(text) ? "must have neither query nor fragment" : addressFault(text),
  );
  check("/entityId", draft.entityId, (text) =>
    URL.canParse(text) ? undefined : "must be a URL or URN",
  );
  check("/certificate", draft.certificate, (text) =>
    certificatesOf(text) ? undefined : "must be an X.509 certificate with an RSA key",
  );
  check("/defaultRole", draft.defaultRole, (text) =>
    text === "owner" ? "must not be owner" : undefined,
  );
  for (const [index, scope] of (draft.scopes ?? []).entries()) {
    // The characters that RFC 6749 allows.
    const sound = /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
    if (!sound) faults.push({ path: `/scopes/${index}`, message: "is not a scope" });
  }
  return faults;
}

function addressFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url) return "must be a URL";
  if (url.username !== "" || url.password !== "") return "must not hold credentials";
  const sound = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
  return sound ? undefined : "must be an https URL";
}
