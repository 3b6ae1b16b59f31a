/** Messengers: Telegram, Slack, Discord, WhatsApp. */
import { toCode } from "../code-text.ts";
import { type JsonObject, toObject } from "../n8n-workflow.ts";
import { type Describe, encode, locator, type ServiceOperation } from "./service-operation.ts";

export const telegram: Describe = (parameters) => {
  const {
    resource = "message",
    operation = "sendMessage",
    text = "",
    additionalFields,
  } = parameters;
  if (resource !== "message") return undefined;
  const chat = toCode(parameters["chatId"] ?? "");
  const given = optionsOf(toObject(additionalFields));
  const takes = [
    "resource",
    "operation",
    "chatId",
    "text",
    "messageId",
    "file",
    "additionalFields",
    "action",
  ];
  const call = (path: string, body: string): ServiceOperation => ({
    method: "POST",
    path: JSON.stringify(path),
    body,
    items: "[one.body]",
    takes,
  });
  const message = toCode(parameters["messageId"] ?? "");
  switch (operation) {
    case "sendMessage":
      return call(
        "/sendMessage",
        `{ chat_id: ${chat}, text: n8n.text(${toCode(text)}), ...${toCode(given)} }`,
      );
    case "editMessageText":
      return call(
        "/editMessageText",
        `{ chat_id: ${chat}, message_id: ${message}, text: n8n.text(${toCode(text)}), ...${toCode(given)} }`,
      );
    case "deleteMessage":
      return call("/deleteMessage", `{ chat_id: ${chat}, message_id: ${message} }`);
    case "sendChatAction":
      return call(
        "/sendChatAction",
        `{ chat_id: ${chat}, action: ${toCode(parameters["action"] ?? "typing")} }`,
      );
    case "sendPhoto":
    case "sendVideo":
    case "sendDocument":
    case "sendAudio": {
      const media = mediaCode(parameters, operation);
      return media === undefined
        ? undefined
        : call(`/${operation}`, `{ chat_id: ${chat}, ${media} }`);
    }
    default:
      return undefined;
  }
};

/** The options of a message, those that are given. */
function optionsOf(fields: JsonObject): JsonObject {
  const { parse_mode = "Markdown", disable_web_page_preview, disable_notification } = fields;
  const more = {
    parse_mode,
    disable_web_page_preview,
    disable_notification,
    reply_to_message_id: fields["reply_to_message_id"],
  };
  return Object.fromEntries(
    Object.entries(more).filter(([, value]) => value !== undefined && value !== ""),
  );
}

/** A picture or the like by its address or id; nothing where it is a file. */
function mediaCode(parameters: JsonObject, operation: string): string | undefined {
  if (parameters["binaryData"] === true || parameters["file"] === undefined) return undefined;
  const { caption } = toObject(parameters["additionalFields"]);
  const more = toCode(caption === undefined ? {} : { caption });
  return `${operation.slice("send".length).toLowerCase()}: ${toCode(parameters["file"])}, ...${more}`;
}

export const slack: Describe = (parameters) => {
  const { resource = "message", operation = "post", select, text = "" } = parameters;
  if (resource !== "message" || (operation !== "post" && operation !== undefined)) return undefined;
  if (parameters["messageType"] !== undefined && parameters["messageType"] !== "text")
    return undefined;
  const channel =
    select === "user" ? parameters["user"] : (parameters["channelId"] ?? parameters["channel"]);
  return {
    method: "POST",
    path: '"/chat.postMessage"',
    body: `{ channel: ${locator(channel)}, text: n8n.text(${toCode(text)}) }`,
    items: "[one.body]",
    takes: [
      "resource",
      "operation",
      "select",
      "text",
      "channelId",
      "channel",
      "user",
      "messageType",
      "otherOptions",
      "authentication",
    ],
  };
};

export const discord: Describe = (parameters) => {
  const { authentication, resource = "message", operation = "send", content } = parameters;
  if (resource !== "message" || (operation !== "send" && operation !== "sendLegacy"))
    return undefined;
  const isHook = authentication === "webhook";
  return {
    method: "POST",
    path: isHook
      ? '""'
      : `"/channels/" + ${encode(locator(parameters["channelId"]))} + "/messages"`,
    body: `{ content: n8n.text(${toCode(content ?? "")}) }`,
    items: 'n8n.toList([one.body === "" ? { success: true } : one.body])',
    takes: [
      "authentication",
      "resource",
      "operation",
      "content",
      "channelId",
      "guildId",
      "sendTo",
      "options",
    ],
  };
};

export const whatsApp: Describe = (parameters) => {
  const { resource = "message", operation = "send", messageType = "text" } = parameters;
  if (resource !== "message" || operation !== "send" || messageType !== "text") return undefined;
  const to = toCode(parameters["recipientPhoneNumber"] ?? "");
  return {
    method: "POST",
    path: `"/" + ${encode(toCode(parameters["phoneNumberId"] ?? ""))} + "/messages"`,
    body: `{ messaging_product: "whatsapp", to: n8n.text(${to}).replaceAll(/[^0-9]/g, ""), type: "text", text: { body: n8n.text(${toCode(parameters["textBody"] ?? "")}) } }`,
    items: "[one.body]",
    takes: [
      "resource",
      "operation",
      "messageType",
      "phoneNumberId",
      "recipientPhoneNumber",
      "textBody",
      "additionalFields",
    ],
  };
};
