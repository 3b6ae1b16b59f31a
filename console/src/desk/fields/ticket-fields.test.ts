import { expect, test } from "vitest";
import { UPDATE } from "../ticket-kind.ts";
import { EDITED_FIELDS, fieldsOf, OTHER_CONTROLS, toPatch } from "./ticket-fields.ts";

/** The console's types do not include Node.js, but the tests run on it. */
const NODE_FILES = "node:fs/promises";
const { readFile } = (await import(/* @vite-ignore */ NODE_FILES)) as {
  readonly readFile: (file: URL, encoding: "utf8") => Promise<string>;
};

const file = new URL("../../../../contract/openapi.json", import.meta.url);
const document = JSON.parse(await readFile(file, "utf8")) as {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly requestBody?: {
              readonly content: Readonly<
                Record<string, { readonly schema: { readonly properties: object } }>
              >;
            };
          }
        >
      >
    >
  >;
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

for (const [kind, fields] of Object.entries(EDITED_FIELDS)) {
  test(`every field that the API changes of a ${kind} has a control`, async () => {
    const id = UPDATE[kind as keyof typeof UPDATE];
    const body = operations.find(({ operationId }) => operationId === id)?.requestBody;
    const names = Object.keys(body?.content["application/json"]?.schema.properties ?? {});
    expect(names.length).toBeGreaterThan(3);
    const edited = fields.map(({ name }) => name);
    const others = names.filter((name) => !edited.includes(name));
    expect(others.filter((name) => OTHER_CONTROLS[name] === undefined)).toEqual([]);
    expect(edited.filter((name) => !names.includes(name))).toEqual([]);
    for (const name of others) {
      const source = new URL(`../../${OTHER_CONTROLS[name] ?? ""}`, import.meta.url);
      expect(await readFile(source, "utf8")).toContain(name.replace("sRequired", ""));
    }
  });
}

const ticket = {
  kind: "incident",
  state: "new",
  all: { title: "No tone", callerId: "usr_1", ciIds: ["ci_1"], category: "" },
} as const;

test("only changed fields are sent, and emptied nullable fields as null", () => {
  expect(toPatch(ticket, { title: "No tone", category: "Phones", callerId: undefined })).toEqual({
    category: "Phones",
    callerId: null,
  });
  expect(toPatch(ticket, { ciIds: ["ci_1"], holdUntil: "2026-01-01T00:00:00Z" })).toEqual({});
});

test("a field of one state is only shown in that state", () => {
  const names = (state: string) => fieldsOf({ kind: "incident", state }).map(({ name }) => name);
  expect(names("new")).not.toContain("holdUntil");
  expect(names("on_hold")).toContain("holdUntil");
  expect(names("resolved")).toContain("resolution");
});
