import { expect, inject, test } from "vitest";
import { TEST_KEY } from "../../testing/database.ts";
import { loginPasswords } from "./prepare-database.ts";
import { buildVerifiers, scramVerifier } from "./roles.ts";

test("computes the verifier of the RFC 7677 example", () => {
  expect(scramVerifier("pencil", Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64"))).toBe(
    "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==" +
      "$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=",
  );
});

test("the SCRAM verifier of a login depends only on key and database, so a pooler keeps working after a restart", () => {
  const { template, verifiers } = inject("database");
  const built = buildVerifiers(template, loginPasswords(TEST_KEY));
  expect(built.size).toBe(3);
  expect(verifiers).toEqual(Object.fromEntries(built));
  expect(new Set(built.values()).size).toBe(3);
});
