/** Service files: each row is valid against the schema and the presets, and a node of each row can be converted. */
import { Value } from "typebox/value";
import { expect, test } from "vitest";
import { domains } from "../../../../app.ts";
import { findPreset } from "../../../connectors/catalogue/catalogue.ts";
import { findDefinitionIssues } from "../../checks/check-workflow.ts";
import { nodeTypesOf } from "../../node-types.ts";
import { NotConvertible } from "../conversion.ts";
import { importN8n } from "../import-workflow.ts";
import type { JsonObject } from "../n8n-workflow.ts";
import {
  type FieldSource,
  ParameterReader,
  type Service,
  type ServiceAction,
} from "./service-table.ts";
import { FUNCTION_NAMES } from "./functions/function-table.ts";
import { AliasFile, ServiceFile } from "./service-file.ts";
import { findService, listServiceFiles, readServiceFile } from "./services.ts";

const types = nodeTypesOf({ contributions: domains.flatMap((one) => one.contributions ?? []) });
const files = [...listServiceFiles()].map((name) => ({ name, file: readServiceFile(name) }));
const services = files.map(({ name, file }): { type: string; service: Service } => {
  const type = "sameAs" in file ? name : (file.type ?? name);
  const service = findService(type);
  if (!service) throw new Error(`No service is found for ${type}.`);
  return { type, service };
});
const lines = services.flatMap(({ type, service }) =>
  service.actions.flatMap((action) =>
    action.on.split(" ").map((on) => ({ type, service, action, on })),
  ),
);
const REQUEST = new Set(["method", "path", "query", "headers", "body", "response"]);

/** The input fields of an action. Undefined if the preset does not have it. */
function fieldsOf(preset: string, action: string): ReadonlySet<string> | undefined {
  if (action === "request") return REQUEST;
  const known = findPreset(preset)?.actions.get(action);
  const { properties } = (known?.input ?? {}) as { readonly properties?: object };
  return known && new Set(Object.keys(properties ?? {}));
}

test("every file matches the schema and is not empty", () => {
  const wrong = files.flatMap(({ name, file }) => {
    const schema = "sameAs" in file ? AliasFile : ServiceFile;
    return Value.Errors(schema, file).map(({ instancePath, message }) => ({
      name,
      instancePath,
      message,
    }));
  });
  expect(wrong).toEqual([]);
  expect(services.length).toBeGreaterThanOrEqual(98);
  expect(lines.length).toBeGreaterThanOrEqual(786);
});

test("finds a service by node type", () => {
  expect(findService("slackTool")?.preset).toBe("slack");
  expect(findService("awsS3")).toBe(findService("s3"));
  expect(findService("@apify/n8n-nodes-apify.apify")?.preset).toBe("apify");
  for (const type of ["apify", "@other/n8n-nodes.slack", "../presets/slack", "constructor", ""])
    expect(findService(type), type).toBe(undefined);
});

test("every service names a preset of the catalogue or the URL of an API", () => {
  const called = lines.map(({ service, action }) => action.service ?? service);
  const wrong = called.filter(
    ({ preset, base }) => (findPreset(preset) === undefined) === (base === undefined),
  );
  expect(wrong.map(({ preset }) => preset)).toEqual([]);
});

test("every node operation has a row", () => {
  const names = lines.map(({ type, on }) => `${type} ${on}`);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("every function is used by a row", () => {
  const text = files.map(({ file }) => JSON.stringify(file)).join();
  expect(FUNCTION_NAMES.filter((name) => !new RegExp(`[@$]${name}\\b`).test(text))).toEqual([]);
});

test("every row names an existing action of its preset with existing fields", () => {
  const wrong = lines.flatMap(
    ({ type, service, action: { action, input = {}, via, service: other }, on }) => {
      const { preset } = other ?? service;
      const calls = via ? [{ action: via.action, input: via.input }] : [{ action, input }];
      const unknown = fieldsOf(preset, action) === undefined ? [action] : [];
      const strange = calls.flatMap((call) => {
        const fields = fieldsOf(preset, call.action);
        return Object.keys(call.input).filter((name) => fields?.has(name) !== true);
      });
      return [...unknown, ...strange].map((what) => `${type} ${on}: ${what}`);
    },
  );
  expect(wrong).toEqual([]);
});

/** Parameters of a node with everything that a row reads. */
function sampleOf({ input = {}, via, sample }: ServiceAction): JsonObject {
  if (sample) return sample;
  const paths = new Set<string>();
  const seen: ParameterReader = new Proxy(new ParameterReader({}), {
    get: (reader, name: keyof ParameterReader) => (path: FieldSource) => {
      if (typeof path === "function") return path(seen);
      if (name === "source") note(path);
      else if (name !== "leftOver") paths.add(path);
      return reader[name](path);
    },
  });
  const note = (source: FieldSource): void => {
    if (typeof source === "function") tryRead(() => source(seen));
    else if (!source.startsWith("="))
      paths.add((source.split("|")[0] ?? "").split(" or ")[0] ?? "");
  };
  for (const source of [...Object.values(input), ...Object.values(via?.input ?? {})]) note(source);
  const plain = [...paths].filter((path) => /^\w+$/.test(path) && !FLAGS.has(path));
  return Object.fromEntries(plain.map((path) => [path, "={{ $json.x }}"]));
}

/** Parameters that are a selection or an object instead of text. */
const FLAGS = new Set(
  "attachments returnAll limit simple columns propertiesUi blockUi filters fieldsUi updateFields additionalFields options embeds inlineKeyboard replyKeyboard replyMarkup binaryData emailType messageType select platform sessionMode filterType matchType htmlMessage download changeFileContent filterGroupsUi asBinaryProperty mediaPath postAs shareMediaCategory twiml toWhatsapp binaryPropertyName messages components title folderNoRootId documentId channel application baseId operation resource user".split(
    " ",
  ),
);

function tryRead(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof NotConvertible)) throw error;
  }
}

test("a node of every row converts to a definition that can be saved", () => {
  const wrong = lines.flatMap(({ type, service, action, on }) => {
    const [resource = "", operation = ""] = on.includes(".") ? on.split(".") : ["", on];
    const parameters = {
      ...(resource !== "" && { resource }),
      operation: operation.replaceAll("_", " "),
      ...sampleOf(action),
    };
    const isPlain = !type.includes(".");
    const nodes = [
      { name: "Start", type: "n8n-nodes-base.manualTrigger", parameters: {} },
      { name: "Call", type: isPlain ? `n8n-nodes-base.${type}` : type, parameters },
    ];
    const connections = { Start: { main: [[{ node: "Call", type: "main", index: 0 }]] } };
    const preset = action.service?.preset ?? service.preset;
    const chosen = { [`connector:${preset}`]: "con_01jd0000000000000000000000" };
    const { workflows } = importN8n({ name: "One", nodes, connections }, chosen);
    return workflows.flatMap(({ definition, report }) => [
      ...report
        .filter(({ status }) => status === "placeholder")
        .map(({ reasons }) => `${type} ${on}: ${reasons.join()}`),
      ...findDefinitionIssues(types, definition).errors.map(
        ({ path, message }) => `${type} ${on}: ${path} ${message}`,
      ),
    ]);
  });
  expect(wrong).toEqual([]);
});
