/** Values of ticket and issue services. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { toList, toObject, toText } from "../../n8n-workflow.ts";
import { pairsCode, type ParameterReader } from "../service-table.ts";
import type { SourceFunctions } from "./source-function.ts";

const jiraFields = (read: ParameterReader): string => {
  read.raw("updateFields");
  const { summary, description, labels, priority, assignee, statusId, customFieldsUi, ...rest } =
    toObject(read.raw("updateFields"));
  if (Object.keys(rest).some((name) => name !== "reporter" && name !== "issueType"))
    throw new NotConvertible(`changes ${Object.keys(rest).join(", ")} of an issue`);
  if (statusId !== undefined)
    throw new NotConvertible("changes fields and the state of an issue at once");
  const chosen = (value: unknown): string => {
    const { __rl, value: inner } = toObject(value);
    return `n8n.text(${toCode(__rl === true ? inner : value)})`;
  };
  const custom = toList(toObject(customFieldsUi)["customFieldsValues"]).map((one) => {
    const { fieldId, fieldValue = "" } = toObject(one);
    return `[${chosen(fieldId)}]: ${toCode(fieldValue)}`;
  });
  return `{ ${[
    ...(summary === undefined ? [] : [`summary: n8n.text(${toCode(summary)})`]),
    ...(description === undefined ? [] : [`description: n8n.jiraText(${toCode(description)})`]),
    ...(labels === undefined ? [] : [`labels: n8n.list(${toCode(labels)})`]),
    ...(priority === undefined ? [] : [`priority: { id: ${chosen(priority)} }`]),
    ...(assignee === undefined ? [] : [`assignee: { id: ${chosen(assignee)} }`]),
    ...custom,
  ].join(", ")} }`;
};

/** Converts the custom fields, listed in the node. */
const zammadPairs = (read: ParameterReader, group: string): string =>
  pairsCode(
    toObject(toObject(read.raw(group))["customFieldsUi"])["customFieldPairs"],
    "name",
    "value",
  );

const STATUS: Readonly<Record<string, number>> = { open: 2, pending: 3, resolved: 4, closed: 5 };

const PRIORITY: Readonly<Record<string, number>> = { low: 1, medium: 2, high: 3, urgent: 4 };

const SOURCE: Readonly<Record<string, number>> = { email: 1, portal: 2, phone: 3, chat: 7 };

const freshdeskTicket = (read: ParameterReader): string => {
  const number = (path: string, of: Readonly<Record<string, number>>, usual: string): string => {
    const known = of[toText(read.raw(path), usual)];
    if (known === undefined) throw new NotConvertible(`uses an expression for ${path}`);
    return String(known);
  };
  const by = { requesterId: "requester_id", facebookId: "facebook_id", twitterId: "twitter_id" };
  const requester = toText(read.raw("requester"), "requesterId");
  const name = Object.hasOwn(by, requester) ? by[requester as keyof typeof by] : requester;
  return `{ ${JSON.stringify(name)}: ${read.text("requesterIdentificationValue")}, status: ${number("status", STATUS, "pending")}, priority: ${number("priority", PRIORITY, "low")}, source: ${number("source", SOURCE, "portal")}, subject: ${read.text("options.subject")} || null, description: ${read.text("options.description")} || ${read.text("options.subject")}, type: ${read.code("options.type") ?? "undefined"}, tags: n8n.list(${read.code("options.tags") ?? '""'}) }`;
};

function gitlabLabels(read: ParameterReader): string {
  const list = read.raw("labels");
  const names = (Array.isArray(list) ? list : []).map((one: { label?: unknown }) =>
    JSON.stringify(one.label ?? ""),
  );
  return `[${names.join(", ")}].join(",")`;
}

/** Builds an issue change, including its status. */
const jiraChange = (read: ParameterReader): string =>
  Object.keys(toObject(read.raw("updateFields"))).join() === "statusId"
    ? `{ transition: { id: ${read.text("updateFields.statusId")} } }`
    : `{ fields: ${jiraFields(read)} }`;

/** An internal note, or a public reply to the requester. */
const zendeskComment = (read: ParameterReader): string | undefined => {
  const note = read.code("updateFields.internalNote");
  const open = read.code("updateFields.publicReply");
  return (note ?? open) === undefined
    ? undefined
    : `{ html_body: n8n.text(${note ?? open}), public: ${note === undefined} }`;
};

const zendeskFields = (read: ParameterReader): string | undefined => {
  const list = toList(toObject(read.raw("updateFields.customFieldsUi"))["customFieldsValues"]).map(
    toObject,
  );
  return list.length === 0
    ? undefined
    : `[${list.map(({ id = "", value = "" }) => `{ id: n8n.number(${toCode(id)}), value: ${toCode(value)} }`).join(", ")}]`;
};

export const ticketFunctions: SourceFunctions = {
  jiraChange,
  zendeskComment,
  zendeskFields,
  zammadPairs,
  freshdeskTicket,
  gitlabLabels,
};
