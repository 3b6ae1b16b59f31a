import { equalBytes, hmac } from "#kernel/access/crypto.ts";
import type { Services } from "#kernel/access/caller.ts";

const FORM_MS = 10 * 60_000;

/** What a consent page asked, of whom, and until when an answer counts. */
export interface ConsentForm {
  /** Of the grant that an answer makes: there is one, so a page is answered once. */
  readonly grantId: string;
  readonly sessionId: string;
  readonly clientId: string;
  readonly workspace: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
  readonly challenge: string;
}

/** The page carries its question, signed, so that nobody answers another one than was shown. */
export function signForm(
  services: Pick<Services, "masterKey" | "clock">,
  form: ConsentForm,
): string {
  const content = JSON.stringify({ ...form, expiresAtMs: services.clock.nowMs() + FORM_MS });
  const text = Buffer.from(content).toString("base64url");
  return `${text}.${signature(services, text).toString("base64url")}`;
}

/** Undefined when it was not signed here, or too long ago. */
export function readForm(
  services: Pick<Services, "masterKey" | "clock">,
  signed: string,
): ConsentForm | undefined {
  const [text = "", given = ""] = signed.split(".");
  if (!equalBytes(signature(services, text), Buffer.from(given, "base64url"))) return undefined;
  const form = JSON.parse(Buffer.from(text, "base64url").toString()) as ConsentForm & {
    readonly expiresAtMs: number;
  };
  return form.expiresAtMs > services.clock.nowMs() ? form : undefined;
}

function signature({ masterKey }: Pick<Services, "masterKey">, text: string): Buffer {
  return hmac(masterKey.derive("oauth consent forms"), text);
}
