/** An unknown caller: a contact that is created with the ticket. */
export interface NewContact {
  readonly name: string;
  readonly address: string;
  readonly phone: string;
}

/** Parses the typed text as an address, a phone number or a name. */
export function toNewContact(typed: string): NewContact {
  const text = typed.trim();
  const named = /^(.*?)\s*<([^<>\s]+@[^<>\s]+)>$/.exec(text);
  if (named) return { name: named[1] ?? "", address: named[2] ?? "", phone: "" };
  if (/^\S+@\S+$/.test(text)) return { name: "", address: text, phone: "" };
  if (/^\+?[\d\s()/.-]{4,}$/.test(text)) return { name: "", address: "", phone: text };
  return { name: text, address: "", phone: "" };
}

/** Returns the request body that creates the contact. */
export function toContactBody({ name, address, phone }: NewContact) {
  return {
    name: name.trim(),
    ...(address.trim() !== "" && { address: address.trim() }),
    ...(phone.trim() !== "" && { phone: phone.trim() }),
  };
}
