import { expect, test } from "vitest";
import { isAddress, splitAddresses } from "./addresses.ts";

test("pasted addresses are parsed without duplicates, and invalid ones are detected", () => {
  const addresses = splitAddresses(
    "Ada <Ada@example.com>, grace@example.com\nada@example.com; nobody, a@b c@d",
  );
  expect(addresses).toEqual(["ada@example.com", "grace@example.com", "nobody", "a@b", "c@d"]);
  expect(addresses.filter((one) => !isAddress(one))).toEqual(["nobody"]);
  expect(splitAddresses("  \n ")).toEqual([]);
});
