import { expect, test } from "vitest";
import { toCurlCall, toTypeScriptCall } from "./request-code.ts";

const AT = { baseUrl: "https://m.example.com", workspace: "default", environment: "production" };

test("formats a request as a single curl command with path, query and body", () => {
  const route = "POST /api/v1/webhooks/{id}/recover";
  const input = { params: { id: "whk 1" }, query: { q: "a b" }, body: { note: "it's" } };
  expect(toCurlCall(route, input, AT)).toBe(
    [
      "curl -X POST \\",
      '  -H "Authorization: Bearer $MILLRACE_TOKEN" \\',
      '  -H "X-Workspace: default" \\',
      '  -H "X-Environment: production" \\',
      '  -H "Content-Type: application/json" \\',
      `  -d '{"note":"it'\\''s"}' \\`,
      '  "https://m.example.com/api/v1/webhooks/whk%201/recover?q=a%20b"',
    ].join("\n"),
  );
});

test("replaces secret values with placeholders and keeps secret names", () => {
  const input = {
    body: {
      name: "CRM",
      value: "s3cret",
      auth: { token: "{{secrets.CRM}}", password: "pw" },
      headers: { "X-API-Key": "s3cret", "X-Auth": "s3cret", "Signing-Key": "s3cret" },
    },
  };
  const code = toTypeScriptCall("connectors.create", input);
  expect(code).not.toMatch(/s3cret|"pw"/);
  expect(code).toContain('value: "<value>"');
  expect(code).toContain('token: "{{secrets.CRM}}"');
  expect(toTypeScriptCall("auth.me", undefined)).toBe("const answer = await client.auth.me();");
});
