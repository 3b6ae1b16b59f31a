import { expect, test } from "vitest";
import { titleOfField } from "./field-titles.ts";

test("A field has the title from the first source with that field", () => {
  const orders = [
    { name: "price", title: "Price €" },
    { name: "customer", title: "Buyer" },
  ];
  const items = [
    { name: "price", title: "List price" },
    { name: "sku", title: "SKU" },
  ];
  const titles = ["price", "sku", "customer.name", "createdAt"].map((name) =>
    titleOfField([orders, items], name),
  );
  expect(titles).toEqual(["Price €", "SKU", "Buyer · name", "Created at"]);
});
