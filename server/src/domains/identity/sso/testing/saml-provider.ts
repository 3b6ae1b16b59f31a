import { randomBytes } from "node:crypto";
import * as samlify from "samlify";
import { PROVIDER_KEY, type SigningKey } from "./keys.ts";

// The library requires a validator; these tests only parse requests and metadata of this server.
samlify.setSchemaValidator({ validate: async () => "not checked" });

export const PROVIDER_ENTITY = "https://idp.example.com/saml";
export const SSO_URL = "https://idp.example.com/sso";

/** All fields of a response; a test changes one of them to make it invalid. */
export interface AnswerDraft {
  readonly issuer: string;
  readonly destination: string;
  readonly inResponseTo: string;
  readonly subjectInResponseTo: string;
  readonly recipient: string;
  readonly audience: string;
  readonly nowMs: number;
  readonly notBefore: string;
  readonly notOnOrAfter: string;
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly status: string;
}

/** Which parts the provider signs. */
export type Signed = "assertion" | "response" | "both" | "nothing";

/** An identity provider with an independent library, which reads the metadata and requests of this server. */
export class SamlProvider {
  readonly #provider;
  readonly #metadata: string;

  constructor(metadata: string, key: SigningKey = PROVIDER_KEY) {
    this.#metadata = metadata;
    this.#provider = samlify.IdentityProvider({
      entityID: PROVIDER_ENTITY,
      privateKey: key.privateKey,
      signingCert: key.certificate,
      singleSignOnService: [
        { Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect", Location: SSO_URL },
      ],
      // Unused, but the library complains aloud without one.
      singleLogoutService: [
        { Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect", Location: SSO_URL },
      ],
    });
  }

  /** Parses the URL to which the login redirected a browser. */
  async read(location: string) {
    const url = new URL(location);
    const query = Object.fromEntries(url.searchParams);
    const { extract } = await this.#provider.parseLoginRequest(
      this.#client("assertion"),
      "redirect",
      {
        query,
      },
    );
    const request = extract.request as Record<string, string>;
    return {
      url,
      id: request["id"] ?? "",
      acs: request["assertionConsumerServiceUrl"] ?? "",
      destination: request["destination"] ?? "",
      issuer: String(extract.issuer),
      relayState: query["RelayState"] ?? "",
    };
  }

  /** The form that the browser posts to this server. */
  async answer(
    location: string,
    change: Partial<AnswerDraft> = {},
    signed: Signed = "assertion",
  ): Promise<{ SAMLResponse: string; RelayState: string }> {
    const { id, acs, issuer, relayState } = await this.read(location);
    const nowMs = change.nowMs ?? Date.now();
    const draft: AnswerDraft = {
      issuer: PROVIDER_ENTITY,
      destination: acs,
      inResponseTo: id,
      subjectInResponseTo: change.inResponseTo ?? id,
      recipient: acs,
      audience: issuer,
      nowMs,
      notBefore: at(nowMs - 1_000),
      notOnOrAfter: at(nowMs + 300_000),
      nameId: "ada@example.com",
      nameIdFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
      attributes: {},
      status: "urn:oasis:names:tc:SAML:2.0:status:Success",
      ...change,
    };
    return { SAMLResponse: await this.#sign(xmlOf(draft), signed), RelayState: relayState };
  }

  async #sign(xml: string, signed: Signed): Promise<string> {
    if (signed === "nothing") return encode(xml);
    const made = await this.#provider.createLoginResponse(
      this.#client(signed),
      null as never,
      "post",
      {},
      { customTagReplacement: () => ({ id: "unused", context: xml }) },
    );
    return String(made.context);
  }

  /** This server as a client according to its metadata, with the signature that a test needs. */
  #client(signed: Signed) {
    const wanted = signed === "response" ? "false" : "true";
    const metadata = this.#metadata.replace(
      /WantAssertionsSigned="\w+"/,
      `WantAssertionsSigned="${wanted}"`,
    );
    return samlify.ServiceProvider({ metadata, wantMessageSigned: signed !== "assertion" });
  }
}

export function encode(xml: string): string {
  return Buffer.from(xml).toString("base64");
}

export function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}

export function newXmlId(): string {
  return `_${randomBytes(16).toString("hex")}`;
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}

function xmlOf(draft: AnswerDraft): string {
  const attributes = Object.entries(draft.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic">${values
        .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
        .join("")}</saml:Attribute>`,
  );
  const issued = at(draft.nowMs);
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ` +
    `ID="${newXmlId()}" Version="2.0" IssueInstant="${issued}" Destination="${draft.destination}" InResponseTo="${draft.inResponseTo}">` +
    `<saml:Issuer>${draft.issuer}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="${draft.status}"/></samlp:Status>` +
    `<saml:Assertion ID="${newXmlId()}" Version="2.0" IssueInstant="${issued}">` +
    `<saml:Issuer>${draft.issuer}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="${draft.nameIdFormat}">${draft.nameId}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
    `<saml:SubjectConfirmationData NotOnOrAfter="${draft.notOnOrAfter}" Recipient="${draft.recipient}" InResponseTo="${draft.subjectInResponseTo}"/>` +
    `</saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${draft.notBefore}" NotOnOrAfter="${draft.notOnOrAfter}">` +
    `<saml:AudienceRestriction><saml:Audience>${draft.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${issued}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    (attributes.length > 0
      ? `<saml:AttributeStatement>${attributes.join("")}</saml:AttributeStatement>`
      : "") +
    `</saml:Assertion></samlp:Response>`
  );
}
