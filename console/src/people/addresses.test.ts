import { expect, test } from "vitest";
import { isAddress, splitAddresses } from "./addresses.ts";

test("addresses are read as they were pasted, each once, and what is not one is known", () => {
  const addresses = splitAddresses(
    "Ada <Ada@example.com>, grace@example.com\nada@example.com; nobody, a@b c@d",
  );
  expect(addresses).toEqual(["ada@example.com", "grace@example.com", "nobody", "a@b", "c@d"]);
  expect(addresses.filter((one) => !isAddress(one))).toEqual(["nobody"]);
  expect(splitAddresses("  \n ")).toEqual([]);
});
