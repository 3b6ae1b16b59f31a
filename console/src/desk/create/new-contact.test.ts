import { expect, test } from "vitest";
import { toContactBody, toNewContact } from "./new-contact.ts";

test("typed text becomes the name, the address or the phone number of a new contact", () => {
  expect(toNewContact(" Rosa Lind ")).toEqual({ name: "Rosa Lind", address: "", phone: "" });
  expect(toNewContact("rosa@x.example")).toMatchObject({ name: "", address: "rosa@x.example" });
  expect(toNewContact("+41 44 555 01 02")).toMatchObject({ name: "", phone: "+41 44 555 01 02" });
  expect(toNewContact("Rosa Lind <rosa@x.example>")).toMatchObject({
    name: "Rosa Lind",
    address: "rosa@x.example",
  });
});

test("does not send empty contact fields", () => {
  const contact = { ...toNewContact("Rosa"), phone: " 0800 " };
  expect(toContactBody(contact)).toEqual({ name: "Rosa", phone: "0800" });
});
