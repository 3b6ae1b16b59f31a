/** Keys typed into nodes instead of credentials must not appear in a definition, a report or a note. */
import { expect, test } from "vitest";
import { importN8n } from "./import-workflow.ts";
import {
  chain,
  type Example,
  findErrors,
  importChosen,
  one,
  reportOf,
  START,
} from "./testing/example.ts";

/** Requests with a key in each place where users type one. */
const KEY = "sk-live-0123456789abcdef0123456789";
const TYPED: Readonly<Record<string, Example>> = {
  header: {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendHeaders: true,
      headerParameters: { parameters: [{ name: "Authorization", value: `Bearer ${KEY}` }] },
    },
  },
  "JSON of headers": {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendHeaders: true,
      specifyHeaders: "json",
      jsonHeaders: `={ "X-Api-Key": "${KEY}", "X-Of": "{{ $json.of }}" }`,
    },
  },
  "JSON of headers with code": {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendHeaders: true,
      specifyHeaders: "json",
      jsonHeaders: `={ "X-Api-Key": "${KEY}", "X-Of": {{ JSON.stringify($json.of) }} }`,
    },
  },
  query: {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendQuery: true,
      queryParameters: { parameters: [{ name: "api_key", value: KEY }] },
    },
  },
  address: {
    type: "httpRequest",
    version: 4.2,
    parameters: { url: `=https://api.example.com/a?key=${KEY}&q={{ $json.q }}` },
  },
  form: {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      method: "POST",
      sendBody: true,
      contentType: "form-urlencoded",
      bodyParameters: { parameters: [{ name: "client_secret", value: KEY }] },
    },
  },
  "JSON of a body": {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      method: "POST",
      sendBody: true,
      specifyBody: "json",
      jsonBody: `{ "apiKey": "${KEY}", "n": 1 }`,
    },
  },
  "older node": {
    type: "httpRequest",
    version: 1,
    parameters: {
      url: "https://api.example.com",
      headerParametersUi: { parameter: [{ name: "X-Auth-Token", value: KEY }] },
    },
  },
  pages: {
    type: "httpRequest",
    version: 4.2,
    parameters: {
      url: "https://api.example.com",
      sendHeaders: true,
      headerParameters: { parameters: [{ name: "Authorization", value: `Bearer ${KEY}` }] },
      options: { pagination: { pagination: { parameters: { parameters: [] } } } },
    },
  },
  GraphQL: {
    type: "graphql",
    parameters: {
      endpoint: "https://api.example.com",
      query: "{ a }",
      headerParametersUi: { parameter: [{ name: "Authorization", value: KEY }] },
    },
  },
};

test.for(Object.entries(TYPED))(
  "a key typed into the %s becomes a secret to select",
  ([, example]) => {
    const imported = importChosen(chain(START, example));
    expect(JSON.stringify(imported)).not.toContain("0123456789");
    expect(JSON.stringify(imported.workflows[0]?.definition)).toMatch(
      /secrets\.(?:CHOSEN|get\(\\"CHOSEN)/,
    );
    expect(imported.bindings).toMatchObject([{ kind: "secret", usedBy: ["N1"] }]);
    expect(findErrors(imported)).toEqual([]);
  },
);

test("the note of a placeholder does not contain the key", () => {
  const parameters = {
    command: `curl -H "X: ${KEY}"`,
    apiKey: "typed-0123456789",
    headers: { parameters: [{ name: "Authorization", value: "typed-0123456789" }] },
    of: "={{ $json.of }}",
  };
  const { workflows } = importN8n(one("executeCommand", parameters));
  const note = workflows[0]?.definition.nodes.at(-1)?.note ?? "";
  expect(note).toContain("$json.of");
  expect(JSON.stringify(workflows)).not.toContain("0123456789");
});

test("a key in code is reported", () => {
  const imported = importN8n(one("code", { jsCode: `const key = "${KEY}";\nreturn items;` }));
  expect(reportOf(imported)[1]).toMatchObject({
    status: "approximated",
    reasons: ["contains a key in its text. Move it into a secret"],
  });
});
