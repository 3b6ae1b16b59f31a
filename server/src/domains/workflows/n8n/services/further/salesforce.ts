/** Salesforce: records of all kinds. */
import { toCode } from "../../code-text.ts";
import { toList, toObject } from "../../n8n-workflow.ts";
import {
  fields,
  members,
  pairsCode,
  type ParameterReader,
  type ServiceAction,
} from "../service-table.ts";

/** Names of fields that are not those of a node with a capital letter. */
const SALESFORCE_NAMES: Readonly<Record<string, string>> = {
  firstname: "FirstName",
  lastname: "LastName",
  lastName: "LastName",
  owner: "OwnerId",
  acconuntId: "AccountId",
  sObject: "",
  customFieldsUi: "",
};

const salesforceName = (name: string): string =>
  SALESFORCE_NAMES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** A record of Salesforce: the fields of a group, and one's own. */
const salesforceRecord = (asked: readonly string[], group: string) => (read: ParameterReader) => {
  const first = Object.fromEntries(asked.map((name) => [salesforceName(name), name]));
  const names = Object.keys(toObject(read.raw(group)));
  const renamed = Object.fromEntries(names.map((name) => [name, salesforceName(name)]));
  const own = (path: string): string => {
    const list = toObject(read.raw(path))["customFieldsValues"];
    return `...${pairsCode(list, "fieldId", "value")}`;
  };
  return `{ ...${fields(first)(read)}, ...${members(group, renamed)(read)}, ${own(`${group}.customFieldsUi`)}, ${own("customFieldsUi")} }`;
};

const SALESFORCE: Readonly<Record<string, readonly [object: string, asked: readonly string[]]>> = {
  lead: ["Lead", ["company", "lastname"]],
  contact: ["Contact", ["lastname"]],
  account: ["Account", ["name"]],
  opportunity: ["Opportunity", ["name", "closeDate", "stageName"]],
  case: ["Case", ["type"]],
  task: ["Task", ["status"]],
  customObject: ["", []],
};

/** The lines of records. */
export const salesforce = Object.entries(SALESFORCE).flatMap(
  ([resource, [name, asked]]): ServiceAction[] => {
    const object = (read: ParameterReader): string =>
      name === "" ? `encodeURIComponent(${read.text("customObject")})` : JSON.stringify(name);
    const id = name === "" ? "recordId" : `${resource}Id`;
    const one = (read: ParameterReader): string =>
      `"/services/data/v59.0/sobjects/" + ${object(read)} + "/" + encodeURIComponent(${read.text(id)})`;
    const takes = "customFieldsUi additionalFields updateFields";
    const own = name === "" ? { customObject: "Thing__c" } : {};
    return [
      {
        on: `${resource}.create`,
        action: "request",
        input: {
          method: '="POST"',
          path: (read) => `"/services/data/v59.0/sobjects/" + ${object(read)}`,
          body: salesforceRecord(asked, "additionalFields"),
        },
        takes,
        sample: { ...own, ...Object.fromEntries(asked.map((field) => [field, "x"])) },
      },
      {
        on: `${resource}.update`,
        action: "request",
        input: { method: '="PATCH"', path: one, body: salesforceRecord([], "updateFields") },
        items: "=[{ success: true }]",
        takes,
        sample: { ...own, [id]: "1" },
      },
      {
        on: `${resource}.upsert`,
        action: "request",
        input: {
          method: '="PATCH"',
          path: (read) =>
            `"/services/data/v59.0/sobjects/" + ${object(read)} + "/" + encodeURIComponent(${read.text("externalId")}) + "/" + encodeURIComponent(${read.text("externalIdValue")})`,
          body: salesforceRecord(asked, "additionalFields"),
        },
        takes,
        sample: { ...own, externalId: "Key__c", externalIdValue: "1" },
      },
      {
        on: `${resource}.get`,
        action: "request",
        input: { method: '="GET"', path: one },
        sample: { ...own, [id]: "1" },
      },
      {
        on: `${resource}.delete`,
        action: "request",
        input: { method: '="DELETE"', path: one },
        items: "=[{ success: true }]",
        sample: { ...own, [id]: "1" },
      },
      {
        on: `${resource}.getAll`,
        action: "query",
        input: {
          q: (read) =>
            `"SELECT " + ${selectedFields(read)} + " FROM " + ${object(read)} + ${whereCode(read)} + " LIMIT ${typeof read.raw("limit") === "number" ? String(read.raw("limit")) : "200"}"`,
        },
        takes: "returnAll limit options",
        notes: ["at most two hundred records are read, unless the node says how many"],
        sample: own,
      },
    ];
  },
);

const SIGNS: Readonly<Record<string, string>> = {
  equal: "=",
  notEqual: "!=",
  "!=": "!=",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
  "=": "=",
};

/** The fields that are read. */
function selectedFields(read: ParameterReader): string {
  const list = read.code("options.fields");
  return list === undefined
    ? '"FIELDS(STANDARD)"'
    : `(n8n.list(${list}).join(", ") || "FIELDS(STANDARD)")`;
}

/** The conditions of a query. */
function whereCode(read: ParameterReader): string {
  const all = toList(toObject(read.raw("options.conditionsUi"))["conditionValues"]).map(toObject);
  const codes = all.map(
    ({ field = "", operation = "equal", value = "" }) =>
      `n8n.text(${toCode(field)}) + ${JSON.stringify(` ${SIGNS[String(operation)] ?? "="} `)} + n8n.soqlValue(${toCode(value)})`,
  );
  return codes.length === 0 ? '""' : `" WHERE " + [${codes.join(", ")}].join(" AND ")`;
}
