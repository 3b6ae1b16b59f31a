import type { Profile } from "@node-saml/node-saml";
import { LoginRefused } from "../login/failure.ts";

/** An element of the SAML library's parser: attributes, text, and children by local name. */
interface Element {
  readonly $?: Readonly<Record<string, string>>;
  readonly _?: string;
  readonly [child: string]: unknown;
}

/** The relevant parts of an assertion, all from the signed bytes. */
export interface Assertion {
  readonly id: string | undefined;
  readonly issuer: string | undefined;
  readonly nameId: { readonly value: string; readonly format: string } | undefined;
  readonly confirmations: readonly Confirmation[];
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

export interface Confirmation {
  readonly method: string | undefined;
  readonly recipient: string | undefined;
  readonly inResponseTo: string | undefined;
  readonly notBefore: string | undefined;
  readonly notOnOrAfter: string | undefined;
}

/**
 * The library's time is quadratic in these numbers: 15,000 tags blocked the process for half a minute, these limits
 * for some tenths of a second. Legitimate responses have a few hundred.
 */
const TAGS_MAX = 2_000;
const ATTRIBUTES_MAX = 4_000;

/**
 * Reads a SAML response as text, before any parser. Rejects everything that legitimate providers do not send and
 * parsers read differently: declarations (entities, DTDs), comments, CDATA sections and processing instructions,
 * which attacks have used to make the signed text differ from the parsed text; and SHA-1 signatures.
 */
export function decodeResponse(base64: string): string {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(base64)) {
    throw new LoginRefused("answer_malformed", "The response is not base64.");
  }
  const xml = decodeUtf8(Buffer.from(base64, "base64")).replace(/^\uFEFF/, "");
  const body = xml.replace(/^\s*<\?xml\s[^>]*\?>/, "");
  if (body.includes("<!") || body.includes("<?")) {
    throw new LoginRefused(
      "answer_malformed",
      "The response contains a declaration, a comment or similar content.",
    );
  }
  if (body.split("<").length > TAGS_MAX || body.split("=").length > ATTRIBUTES_MAX) {
    throw new LoginRefused("answer_malformed", "The response has too many parts.");
  }
  if (/#(rsa-|hmac-|dsa-)?sha1["']/.test(body)) {
    throw new LoginRefused("answer_rejected", "The response is signed with SHA-1.");
  }
  return xml;
}

/** An attribute of the response itself, which the signature of an assertion does not cover. */
export function responseAttribute(xml: string, name: string): string | undefined {
  const tag = /^[^<]*(?:<\?[^>]*\?>)?[^<]*<(?:[^>"']|"[^"]*"|'[^']*')*>/.exec(xml)?.[0] ?? "";
  const quoted = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return (quoted?.[1] ?? quoted?.[2])?.replaceAll("&amp;", "&");
}

/**
 * The status of a failed response with its message; undefined if it succeeded, or has no status. A failed response
 * must not contain an assertion (SAML core, 3.2.2.2), and is not accepted if it does.
 */
export function failedStatusOf(xml: string): string | undefined {
  const code = /<(?:[\w.-]+:)?StatusCode\s+Value\s*=\s*["']([^"'<>]*)["']/.exec(xml)?.[1];
  if (code === undefined || code === SUCCESS) return undefined;
  const message = /<(?:[\w.-]+:)?StatusMessage\s*>([^<]*)</.exec(xml)?.[1]?.trim() ?? "";
  return message === "" ? code : `${code}: ${message}`;
}

const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";

export function toAssertion(profile: Profile): Assertion {
  const [assertion] = children(profile.getAssertion?.() as Element | undefined, "Assertion");
  const [subject] = children(assertion, "Subject");
  const [nameId] = children(subject, "NameID");
  const value = textOf(nameId);
  return {
    id: assertion?.$?.["ID"],
    issuer: textOf(children(assertion, "Issuer")[0]),
    nameId: value === undefined ? undefined : { value, format: nameId?.$?.["Format"] ?? "" },
    confirmations: children(subject, "SubjectConfirmation").map(toConfirmation),
    attributes: attributesOf(assertion),
  };
}

function toConfirmation(element: Element): Confirmation {
  const [data] = children(element, "SubjectConfirmationData");
  return {
    method: element.$?.["Method"],
    recipient: data?.$?.["Recipient"],
    inResponseTo: data?.$?.["InResponseTo"],
    notBefore: data?.$?.["NotBefore"],
    notOnOrAfter: data?.$?.["NotOnOrAfter"],
  };
}

function attributesOf(assertion: Element | undefined): ReadonlyMap<string, readonly string[]> {
  const attributes = new Map<string, readonly string[]>();
  for (const statement of children(assertion, "AttributeStatement")) {
    for (const attribute of children(statement, "Attribute")) {
      const name = attribute.$?.["Name"] ?? "";
      const values = children(attribute, "AttributeValue").flatMap((value) => textOf(value) ?? []);
      attributes.set(name, [...(attributes.get(name) ?? []), ...values]);
    }
  }
  return attributes;
}

/** The parser returns a list for every child except the root, and a string for an element without attributes. */
function children(element: Element | undefined, name: string): readonly Element[] {
  const child = element !== undefined && Object.hasOwn(element, name) ? element[name] : [];
  return [child]
    .flat()
    .map((child) => (typeof child === "string" ? { _: child } : (child as Element)));
}

function textOf(element: Element | undefined): string | undefined {
  const text = typeof element?._ === "string" ? element._.trim() : "";
  return text === "" ? undefined : text;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new LoginRefused("answer_malformed", "The response is not UTF-8.");
  }
}
