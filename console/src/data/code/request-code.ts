/** Formats an API call as a curl command and as TypeScript, without secrets. */
import { hideSecrets, type RequestPlace } from "./secret-name.ts";

/** Formats `POST /api/v1/webhooks/{id}/test` with its parameters as a curl command. */
export function toCurlCall(route: string, input: unknown, at: RequestPlace): string {
  const [method = "GET", path = ""] = route.split(" ");
  const { params = {}, query = {}, body } = hideSecrets(input);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(params[name] ?? `{${name}}`)),
  );
  const known = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = known.map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`);
  const lines = [
    method === "GET" ? "curl" : `curl -X ${method}`,
    `  -H "Authorization: Bearer $MILLRACE_TOKEN"`,
    `  -H "X-Workspace: ${at.workspace}"`,
    `  -H "X-Environment: ${at.environment}"`,
    ...(body === undefined
      ? []
      : [`  -H "Content-Type: application/json"`, `  -d ${quoteShell(JSON.stringify(body))}`]),
    `  "${at.baseUrl}${filled}${search.length === 0 ? "" : `?${search.join("&")}`}"`,
  ];
  return lines.join(" \\\n");
}

/** Formats a call of the client package. */
export function toTypeScriptCall(id: string, input: unknown): string {
  const [namespace = "", verb = ""] = id.split(".");
  const hidden = hideSecrets(input);
  const text = Object.keys(hidden).length === 0 ? "" : spell(hidden);
  return `const answer = await client.${namespace}.${verb}(${text});`;
}

/** The code needed once before such calls. */
export function clientPreamble(at: RequestPlace): string {
  return [
    'import { createClient } from "@millrace/client";',
    "",
    "const client = createClient({",
    `  baseUrl: ${JSON.stringify(at.baseUrl)},`,
    `  token: process.env.MILLRACE_TOKEN,`,
    `  workspace: ${JSON.stringify(at.workspace)},`,
    `  environment: ${JSON.stringify(at.environment)},`,
    "});",
  ].join("\n");
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Formats JSON as TypeScript: property names are only quoted where needed. */
function spell(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");
}
