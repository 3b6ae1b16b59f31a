import { expect, test } from "vitest";
import { authSchema, isCredential, toParts } from "./draft.ts";

const TYPE = {
  type: "http",
  config: { type: "object", properties: { baseUrl: { type: "string" } } },
  auth: [
    { kind: "none", schema: { type: "object", properties: { kind: { const: "none" } } } },
    {
      kind: "bearer",
      schema: {
        type: "object",
        properties: {
          kind: { const: "bearer" },
          token: { type: "string", description: "Of `bearer`: as it is sent" },
        },
        required: ["kind", "token"],
      },
    },
  ],
} as never;

test("an authentication form hides the kind, and the request contains it", () => {
  expect(authSchema(TYPE, "bearer")).toMatchObject({
    properties: { token: { type: "string", description: "As it is sent" } },
    required: ["token"],
  });
  const draft = {
    name: "CRM",
    config: { baseUrl: "https://crm.example.com", left: "" },
    auth: { kind: "bearer", token: "{{secrets.CRM}}" },
  };
  expect(toParts(TYPE, draft)).toEqual({
    config: { baseUrl: "https://crm.example.com" },
    auth: { kind: "bearer", token: "{{secrets.CRM}}" },
  });
});

test("credential fields are recognised by name", () => {
  expect(["/token", "/password", "/clientSecret", "/username"].map(isCredential)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
