import Type from "typebox";
import { expect, test } from "vitest";
import type { Operation } from "../contract.ts";
import { missingDetail } from "./not-found.ts";

const detailOf = (route: string, params: object, body?: Operation["body"]) =>
  missingDetail({ route, body } as Operation, params);

test.each([
  ["GET /api/v1/notes/{id}", { id: "note_1" }, "Note note_1"],
  ["POST /api/v1/itsm/sla-policies/{id}/simulate", { id: "slp_1" }, "SLA policy slp_1"],
  ["GET /api/v1/runs/{runId}/steps/{stepId}", { runId: "run_1", stepId: "a" }, "Step a"],
  ["GET /api/v1/itsm/kinds/{kind}", { kind: "incident" }, "Kind incident"],
  ["GET /api/v1/presence/{thing}", { thing: "inc_1" }, "Thing inc_1"],
  ["GET /api/v1/status/{workspace}", { workspace: "acme" }, "Workspace acme"],
])("the message of %s names the resource", (route, params, subject) => {
  expect(detailOf(route, params)).toBe(`${subject} does not exist, or you can't see it.`);
});

test("a body with references may name the missing resource instead", () => {
  const body = Type.Object({ ticketId: Type.String() });
  expect(detailOf("POST /api/v1/itsm/incidents/{id}/links", { id: "inc_1" }, body)).toBe(
    "Incident inc_1, or a resource in the request body, does not exist, or you can't see it.",
  );
});

test("secrets in a path are not repeated, and a long value is shortened", () => {
  expect(detailOf("GET /listen/{token}", { token: "secret" })).toBeUndefined();
  expect(detailOf("GET /api/v1/notes", {})).toBeUndefined();
  expect(detailOf("GET /api/v1/notes/{id}", { id: "x".repeat(500) })).toContain(
    `Note ${"x".repeat(100)} does`,
  );
});
