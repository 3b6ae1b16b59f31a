import { expect, test } from "vitest";
import { UPDATE } from "../ticket-kind.ts";
import { EDITED_FIELDS, fieldsOf, OTHER_CONTROLS } from "./ticket-fields.ts";

/** The console's types have no Node, on which its tests run. */
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

test("shows state-specific fields only in that state", () => {
  const names = (state: string) => fieldsOf({ kind: "incident", state }).map(({ name }) => name);
  expect(names("new")).not.toContain("holdUntil");
  expect(names("on_hold")).toContain("holdUntil");
  expect(names("resolved")).toContain("resolution");
});
