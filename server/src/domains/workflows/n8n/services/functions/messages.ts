/** Values of messaging services. */
import { toCode } from "../../code-text.ts";
import { NotConvertible } from "../../conversion.ts";
import { type Json, toList, toObject, toText } from "../../n8n-workflow.ts";
import { objectCode, ParameterReader } from "../service-table.ts";
import type { SourceFunctions } from "./source-function.ts";

const slackChannel = (read: ParameterReader): string =>
  read.text(
    read.raw("select") === "user" || (read.raw("channelId") ?? read.raw("channel")) === undefined
      ? "user"
      : read.raw("channelId") === undefined
        ? "channel"
        : "channelId",
  );

const slackBlocks = (read: ParameterReader): string | undefined => {
  const blocks = read.code("blocksUi");
  const isBlock = read.raw("messageType") === "block";
  if (read.raw("messageType") === "attachment") throw new NotConvertible("sends attachments");
  return isBlock && blocks !== undefined
    ? `((made) => Array.isArray(made) ? made : made.blocks)(n8n.json(${blocks}))`
    : undefined;
};

const slackThread = (read: ParameterReader): string | undefined => {
  const { replyValues } = toObject(read.raw("otherOptions.thread_ts"));
  const { thread_ts } = toObject(replyValues);
  return thread_ts === undefined ? undefined : `n8n.text(${toCode(thread_ts)})`;
};

const digits = (read: ParameterReader, path: string): string =>
  `${read.text(path)}.replaceAll(/[^0-9]/g, "")`;

const discordEmbeds = (read: ParameterReader): string | undefined => {
  const values = toList(toObject(read.raw("embeds"))["values"]).map(toObject);
  if (values.length === 0) return undefined;
  const codes = values.map(({ inputMethod, json, ...fields }) =>
    inputMethod === "json"
      ? `n8n.json(${toCode(json ?? "{}")})`
      : objectCode(new ParameterReader(fields), {
          title: "title",
          description: "description",
          url: "url",
        }),
  );
  return `[${codes.join(", ")}]`;
};

/** Template parameters of WhatsApp. */
function whatsAppParts(read: ParameterReader): string {
  const all = toList(toObject(read.raw("components"))["component"]).map(toObject);
  const codes = all.map(({ type = "body", sub_type, index, ...groups }) => {
    const { parameter } = toObject(groups[`${toText(type)}Parameters`]);
    const values = (Array.isArray(parameter) ? parameter : [parameter ?? {}]).map((one) => {
      const { type: kind = "text", text = "", imageLink, payload } = toObject(one);
      if (kind === "image")
        return `{ type: "image", image: { link: n8n.text(${toCode(imageLink ?? "")}) } }`;
      if (kind === "payload")
        return `{ type: "payload", payload: n8n.text(${toCode(payload ?? "")}) }`;
      if (kind !== "text")
        throw new NotConvertible("fills in parts of a template by other than texts");
      return `{ type: "text", text: n8n.text(${toCode(text)}) }`;
    });
    const place =
      type === "button"
        ? `, sub_type: ${toCode(sub_type ?? "quick_reply")}, index: ${toCode(index ?? 0)}`
        : "";
    return `{ type: ${toCode(type)}${place}, parameters: [${values.join(", ")}] }`;
  });
  return all.length === 0 ? "" : `, components: [${codes.join(", ")}]`;
}

/** The buttons under a message. */
const telegramMarkup = (read: ParameterReader): string | undefined => {
  const kind = toText(read.raw("replyMarkup"), "none");
  const buttons = (rows: unknown, isInline: boolean): string => {
    const lines = toList(toObject(rows)["rows"]).map((row) => {
      const all = toList(toObject(toObject(row)["row"])["buttons"]).map((one) => {
        const { text = "", additionalFields } = toObject(one);
        const more = Object.entries(toObject(additionalFields)).filter(
          ([name]) => isInline || name !== "callback_data",
        );
        const members = more.map(([name, value]) => `${JSON.stringify(name)}: ${toCode(value)}`);
        return `{ ${[`text: n8n.text(${toCode(text)})`, ...members].join(", ")} }`;
      });
      return `[${all.join(", ")}]`;
    });
    return `[${lines.join(", ")}]`;
  };
  const inline = read.raw("inlineKeyboard");
  const keyboard = read.raw("replyKeyboard");
  const options = read.raw("replyKeyboardOptions");
  const force = read.raw("forceReply");
  const remove = read.raw("replyKeyboardRemove");
  if (kind === "inlineKeyboard") return `{ inline_keyboard: ${buttons(inline, true)} }`;
  if (kind === "replyKeyboard")
    return `{ keyboard: ${buttons(keyboard, false)}, ...${toCode(options ?? {})} }`;
  if (kind === "forceReply") return toCode(force ?? { force_reply: true });
  if (kind === "replyKeyboardRemove") return toCode(remove ?? { remove_keyboard: true });
  return undefined;
};

const sendGridRecipients = (read: ParameterReader): string => {
  const cc = read.code("additionalFields.ccEmail");
  const bcc = read.code("additionalFields.bccEmail");
  if (read.raw("additionalFields.attachments") !== undefined)
    throw new NotConvertible("sends attachments");
  const fields: Json = toObject(read.raw("dynamicTemplateFields"))["fields"];
  const data = toList(fields).map((one) => {
    const { key = "", value = "" } = toObject(one);
    return `[${toCode(key)}]: ${toCode(value)}`;
  });
  const parts = [
    `to: ${addresses(read.code("toEmail") ?? '""')}`,
    ...(cc === undefined ? [] : [`cc: ${addresses(cc)}`]),
    ...(bcc === undefined ? [] : [`bcc: ${addresses(bcc)}`]),
    ...(data.length === 0 ? [] : [`dynamic_template_data: { ${data.join(", ")} }`]),
  ];
  return `[{ ${parts.join(", ")} }]`;
};

const addresses = (code: string): string => `n8n.list(${code}).map((email) => ({ email }))`;

const perplexityMessages = (read: ParameterReader): string => {
  const list = toList(toObject(read.raw("messages"))["message"]).map(toObject);
  return `[${list.map(({ role = "user", content = "" }) => `{ role: ${toCode(role)}, content: n8n.text(${toCode(content)}) }`).join(", ")}]`;
};

/** A WhatsApp message: a text, or a file by id or URL. */
const whatsAppMessage = (read: ParameterReader): string => {
  const type = toText(read.raw("messageType"), "text");
  const to = digits(read, "recipientPhoneNumber");
  const head = `messaging_product: "whatsapp", recipient_type: "individual", to: ${to}, type: ${JSON.stringify(type)}`;
  if (type === "text")
    return `{ ${head}, text: { body: ${read.text("textBody")}, preview_url: ${read.raw("additionalFields.previewUrl") === true} } }`;
  if (!["image", "video", "audio", "document"].includes(type))
    throw new NotConvertible(`sends ${type}`);
  const path = toText(read.raw("mediaPath"), "useMediaLink");
  if (path === "useMedian8n") throw new NotConvertible("sends a file of the item");
  const source =
    path === "useMediaId" ? `id: ${read.text("mediaId")}` : `link: ${read.text("mediaLink")}`;
  const caption = read.code("additionalFields.mediaCaption");
  const filename = read.code("additionalFields.mediaFilename");
  return `{ ${head}, ${type}: { ${[source, ...(caption === undefined ? [] : [`caption: ${caption}`]), ...(filename === undefined ? [] : [`filename: ${filename}`])].join(", ")} } }`;
};

/** The buttons of a message with a file, which is sent as a form. */
const telegramMarkupText = (read: ParameterReader): string | undefined => {
  const markup = telegramMarkup(read);
  return markup === undefined ? undefined : `JSON.stringify(${markup})`;
};

const mattermostProps = (read: ParameterReader): string | undefined => {
  const attachments = read.raw("attachments");
  if (!Array.isArray(attachments) || attachments.length === 0) return undefined;
  return `{ attachments: ${read.code("attachments")} }`;
};

export const messageFunctions: SourceFunctions = {
  slackChannel,
  slackBlocks,
  slackThread,
  discordEmbeds,
  whatsAppMessage,
  whatsAppParts,
  telegramMarkup,
  telegramMarkupText,
  sendGridRecipients,
  perplexityMessages,
  mattermostProps,
};
