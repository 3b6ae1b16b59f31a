/** The table of services: every line against the presets, and a node of every line through the importer. */
import { expect, test } from "vitest";
import { domains } from "../../../../app.ts";
import { findPreset } from "../../../connectors/catalogue/catalogue.ts";
import { findDefinitionIssues } from "../../checks/check-workflow.ts";
import { nodeTypesOf } from "../../node-types.ts";
import { NotConvertible } from "../conversion.ts";
import { importN8n } from "../import-workflow.ts";
import type { JsonObject } from "../n8n-workflow.ts";
import { type FieldSource, ParameterReader, type ServiceAction } from "./service-table.ts";
import { SERVICES } from "./services.ts";

const types = nodeTypesOf({ contributions: domains.flatMap((one) => one.contributions ?? []) });
const lines = Object.entries(SERVICES).flatMap(([type, service]) =>
  service.actions.flatMap((action) =>
    action.on.split(" ").map((on) => ({ type, service, action, on })),
  ),
);
const REQUEST = new Set(["method", "path", "query", "headers", "body", "response"]);

/** The fields that an action takes; undefined where there is no such action. */
function fieldsOf(preset: string, action: string): ReadonlySet<string> | undefined {
  if (action === "request") return REQUEST;
  const known = findPreset(preset)?.actions.get(action);
  const { properties } = (known?.input ?? {}) as { readonly properties?: object };
  return known && new Set(Object.keys(properties ?? {}));
}

test("every line names an action of its preset, and fields that the action has", () => {
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

/** Parameters of a node that has everything that a line reads. */
function sampleOf({ input = {}, via, sample }: ServiceAction): JsonObject {
  if (sample) return sample;
  const paths = new Set<string>();
  const seen = new Proxy(new ParameterReader({}), {
    get: (reader, name: keyof ParameterReader) => (path: string) => {
      if (name === "raw" || name === "code" || name === "text") paths.add(path);
      return reader[name](path as never);
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

/** Parameters that are a choice, or of a form of their own, and not a text. */
const FLAGS = new Set(
  "returnAll limit simple columns propertiesUi blockUi filters fieldsUi updateFields additionalFields options embeds inlineKeyboard replyKeyboard replyMarkup binaryData emailType messageType select platform sessionMode filterType matchType htmlMessage download changeFileContent filterGroupsUi asBinaryProperty mediaPath postAs shareMediaCategory twiml toWhatsapp binaryPropertyName messages components title folderNoRootId documentId channel application baseId operation resource user".split(
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

test("a node of every line becomes a definition that can be saved", () => {
  const wrong = lines.flatMap(({ type, action, on }) => {
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
    const preset = action.service?.preset ?? SERVICES[type]?.preset;
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
