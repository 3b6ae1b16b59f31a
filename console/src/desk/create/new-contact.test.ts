import { expect, test } from "vitest";
import { findContactGap, toContactBody, toNewContact } from "./new-contact.ts";

test("typed text becomes the name, the address or the phone number of a new contact", () => {
  expect(toNewContact(" Rosa Lind ")).toEqual({ name: "Rosa Lind", address: "", phone: "" });
  expect(toNewContact("rosa@x.example")).toMatchObject({ name: "", address: "rosa@x.example" });
  expect(toNewContact("+41 44 555 01 02")).toMatchObject({ name: "", phone: "+41 44 555 01 02" });
  expect(toNewContact("Rosa Lind <rosa@x.example>")).toMatchObject({
    name: "Rosa Lind",
    address: "rosa@x.example",
  });
});

test("a contact needs a name and an address or phone number", () => {
  const contact = toNewContact("Rosa");
  expect(findContactGap(contact)).toBe("Enter an e-mail address or a phone number.");
  expect(findContactGap({ ...contact, name: " " })).toBe("Enter a name.");
  expect(findContactGap({ ...contact, phone: "0800" })).toBeUndefined();
  expect(toContactBody({ ...contact, phone: " 0800 " })).toEqual({ name: "Rosa", phone: "0800" });
});
