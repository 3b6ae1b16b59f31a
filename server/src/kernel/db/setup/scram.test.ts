import { expect, inject, test } from "vitest";
import { TEST_KEY } from "../../testing/database.ts";
import { withOwnerClient } from "./owner-connection.ts";
import { loginPasswords } from "./prepare-database.ts";
import { buildVerifiers } from "./roles.ts";
import { scramVerifier } from "./roles.ts";

test("a verifier is the one of RFC 7677's example", () => {
  expect(scramVerifier("pencil", Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64"))).toBe(
    "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==" +
      "$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=",
  );
});

test("the SCRAM verifier of a login follows from key and database, so that no start changes it under a pooler", async () => {
  const { owner, template } = inject("database");
  const verifiers = buildVerifiers(template, loginPasswords(TEST_KEY));
  const { rows } = await withOwnerClient(owner, (client) =>
    client.query<{ name: string; verifier: string }>(
      "select rolname as name, rolpassword as verifier from pg_authid where rolname = any($1)",
      [[...verifiers.keys()]],
    ),
  );
  expect(rows).toHaveLength(3);
  expect(new Map(rows.map(({ name, verifier }) => [name, verifier]))).toEqual(verifiers);
  expect(new Set(verifiers.values()).size).toBe(3);
});
