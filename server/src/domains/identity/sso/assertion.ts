import type { Profile } from "@node-saml/node-saml";

/** An element as the SAML library's parser gives it: attributes, text, and children by local name. */
interface Element {
  readonly $?: Readonly<Record<string, string>>;
  readonly _?: string;
  readonly [child: string]: unknown;
}

/** What we read of an assertion, all of it from the bytes that the signature covers. */
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

export function assertionOf(profile: Profile): Assertion {
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

/** The parser makes a list of every child but the root, and a bare text of one without attributes. */
function children(element: Element | undefined, name: string): readonly Element[] {
  const found = element !== undefined && Object.hasOwn(element, name) ? element[name] : [];
  return [found]
    .flat()
    .map((child) => (typeof child === "string" ? { _: child } : (child as Element)));
}

function textOf(element: Element | undefined): string | undefined {
  const text = typeof element?._ === "string" ? element._.trim() : "";
  return text === "" ? undefined : text;
}
