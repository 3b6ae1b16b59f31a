/** Messages that wait for a response: links in the message lead to the address of the waiting step. */
import type { Node } from "../../definition/index.ts";
import { toCode } from "../code-text.ts";
import {
  type Convert,
  type ConvertedNode,
  type NodeContext,
  NotConvertible,
} from "../conversion.ts";
import { type Json, type JsonObject, toObject, toText } from "../n8n-workflow.ts";
import { type ServiceCall, toServiceCall } from "../services/service-table.ts";
import { findService } from "../services/services.ts";
import { formSteps } from "./form-node.ts";
import { limitOf, requestSteps } from "./wait-node.ts";
import { callForEach } from "./service-node.ts";

/** The link texts of a message: approve and reject, or a form link. */
type Links =
  | {
      readonly approve: string;
      /** Undefined for approve only. */
      readonly reject?: string;
    }
  | { readonly form: string };

/** Message parameters with links, by service. */
const MESSAGES: Readonly<Record<string, (given: JsonObject, links: Links) => JsonObject>> = {
  gmail: ({ sendTo, subject, message }, links) => ({
    operation: "send",
    sendTo,
    subject,
    emailType: "html",
    message: append(message, htmlLinks(links)),
  }),
  microsoftOutlook: ({ toRecipients, subject, message }, links) => ({
    resource: "message",
    operation: "send",
    toRecipients,
    subject,
    bodyContent: append(message, htmlLinks(links)),
    additionalFields: { bodyContentType: "html" },
  }),
  telegram: ({ chatId, message }, links) => ({
    operation: "sendMessage",
    chatId,
    text: append(message, textLinks(links)),
  }),
  discord: ({ guildId, sendTo, channelId, message }, links) => ({
    resource: "message",
    operation: "send",
    guildId,
    sendTo,
    channelId,
    content: append(message, textLinks(links)),
  }),
  whatsApp: ({ phoneNumberId, recipientPhoneNumber, message }, links) => ({
    resource: "message",
    operation: "send",
    phoneNumberId,
    recipientPhoneNumber,
    textBody: append(message, textLinks(links)),
  }),
  slack: ({ select, user, channelId, message }, links) => ({
    resource: "message",
    operation: "post",
    select,
    ...(user !== undefined && { user }),
    ...(channelId !== undefined && { channelId }),
    text: append(message, textLinks(links)),
  }),
};

const htmlLinks = (links: Links): string => {
  if ("form" in links) return `<p><a href="{{ $wait }}">${links.form}</a></p>`;
  const { approve, reject } = links;
  return `<p><a href="{{ $wait }}?approved=true">${approve}</a>${reject === undefined ? "" : ` <a href="{{ $wait }}?approved=false">${reject}</a>`}</p>`;
};

const textLinks = (links: Links): string => {
  if ("form" in links) return `\n\n${links.form}: {{ $wait }}`;
  const { approve, reject } = links;
  return `\n\n${approve}: {{ $wait }}?approved=true${reject === undefined ? "" : `\n${reject}: {{ $wait }}?approved=false`}`;
};

/** Appends to a text. Plain text becomes an expression if needed. */
function append(text: Json, more: string): string {
  const known = toText(text);
  return known.startsWith("=") ? `${known}${more}` : `=${known.replaceAll("{{", "{ {")}${more}`;
}

/** Returns true if the message waits for a response. */
export function isApproval({ parameters: { operation } }: NodeContext["node"]): boolean {
  return operation === "sendAndWait";
}

function messageCall(type: string, parameters: JsonObject): ServiceCall {
  const service = findService(type);
  if (!service) throw new Error(`There is no service ${type}.`);
  return toServiceCall(service, type, parameters);
}

/** A mail through a custom SMTP server. */
function mailCall(
  { toEmail = "", fromEmail = "", subject = "", message }: JsonObject,
  links: Links,
): ServiceCall {
  const html = toCode(append(message, htmlLinks(links)));
  return {
    preset: "smtp",
    title: "A mail server (smtp)",
    action: "send",
    args: `{ to: n8n.list(${toCode(toEmail)}), from: n8n.text(${toCode(fromEmail)}), subject: n8n.text(${toCode(subject)}), html: n8n.text(${html}) }`,
    items: "[one]",
    approximations: [],
  };
}

/** The steps of a message with a form or free-text response. */
function askByForm(ctx: NodeContext, before: readonly Node[]): ConvertedNode {
  const { parameters } = ctx.node;
  const {
    responseFormTitle = parameters["subject"] ?? "Respond",
    responseFormDescription: description,
    responseFormButtonLabel: submit,
  } = toObject(parameters["options"]);
  return formSteps(ctx, {
    texts: {
      title: responseFormTitle,
      ...(description !== undefined && { description }),
      ...(submit !== undefined && { submit }),
    },
    ...(parameters["responseType"] === "freeText" && {
      questions: [{ fieldLabel: "text", fieldType: "textarea", requiredField: true }],
    }),
    shownTo: "link",
    before,
    items: "[{ data: sent.answers }]",
  });
}

export const sendAndWait: Convert = (ctx) => {
  const { node, id } = ctx;
  const { parameters, type } = node;
  const { responseType = "approval", approvalOptions } = parameters;
  const isForm = responseType === "freeText" || responseType === "customForm";
  const describe = Object.hasOwn(MESSAGES, type) ? MESSAGES[type] : undefined;
  if (!describe && type !== "emailSend")
    throw new NotConvertible(`needs ${type} message.sendAndWait`);
  if (responseType !== "approval" && !isForm)
    throw new NotConvertible(`asks for ${toText(responseType)}`);
  const {
    approvalType = "single",
    approveLabel = "Approve",
    disapproveLabel = "Decline",
  } = toObject(toObject(approvalOptions)["values"]);
  const options = toObject(parameters["options"]);
  const decide = {
    approve: toText(approveLabel, "Approve"),
    ...(approvalType === "double" && { reject: toText(disapproveLabel, "Decline") }),
  };
  const links = isForm
    ? { form: toText(options["messageButtonLabel"], "Respond") || "Respond" }
    : decide;
  const call = describe
    ? messageCall(type, describe(parameters, links))
    : mailCall(parameters, links);
  const message = callForEach({ ...ctx, node: { ...node, executeOnce: true } }, call);
  const [args, ...others] = message.steps;
  if (!args) throw new Error("A call has steps.");
  const { source } = args.config as { readonly source: string };
  const first: Node = {
    ...args,
    config: { source: `const $wait = input.run.resumeUrls.${id}_wait;\n${source}` },
  };
  // The last step converts the response to items, which nothing reads here.
  const before = [first, ...others.slice(0, -1)];
  if (isForm) {
    const asked = askByForm(ctx, before);
    return {
      ...asked,
      approximations: [...(message.approximations ?? []), ...(asked.approximations ?? [])],
    };
  }
  const made = requestSteps(ctx, {
    methods: ["GET", "POST"],
    timeoutMs: limitOf(parameters),
    before,
    items:
      '[{ data: { approved: String(call.query.approved ?? call.body?.approved) === "true" } }]',
  });
  return {
    ...made,
    approximations: [
      ...(message.approximations ?? []),
      "links in the message decide immediately, without a confirmation page",
    ],
  };
};
