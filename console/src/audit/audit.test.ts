import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";
import { readAuditSearch, toAuditQuery } from "./search.ts";

test("search parameters are converted to a query: days are complete, and unknown parameters are ignored", () => {
  const search = readAuditSearch({ person: "usr_1", from: "2026-03-01", to: "2026-03-01", x: "y" });
  const { actorId, from = "", to = "" } = toAuditQuery(search);
  expect(actorId).toBe("usr_1");
  expect(Date.parse(to) - Date.parse(from)).toBe(86_400_000);
});

test("no cell of an export is interpreted as a formula, and quotes are escaped", () => {
  const event = {
    createdAt: "2026-03-01T00:00:00Z",
    type: "audit.role.created",
    actor: { name: '=HYPERLINK("x")', id: "usr_1" },
    resource: { displayName: null, type: "role", id: "rol_1" },
    environment: "production",
    data: { a: 1 },
  } as unknown as Parameters<typeof toCsv>[0][number];
  const [, row] = toCsv([event]).split("\r\n");
  expect(row).toBe(
    `"2026-03-01T00:00:00Z","audit.role.created","'=HYPERLINK(""x"")","usr_1","role","rol_1","production","{""a"":1}"`,
  );
});
