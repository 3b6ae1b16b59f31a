/** Telegram: messages, pictures and files of a bot. */
import { toCode } from "../code-text.ts";
import { toList, toObject, toText } from "../n8n-workflow.ts";
import {
  objectCode,
  ParameterReader,
  request,
  type ServiceAction,
  type ServiceTable,
} from "./service-table.ts";

/** The buttons under a message. */
const replyMarkup = (read: ParameterReader): string | undefined => {
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

const telegramFields = {
  parse_mode: (read: ParameterReader) =>
    read.source("additionalFields.parse_mode or parseMode") ?? '"Markdown"',
  reply_to_message_id: "additionalFields.reply_to_message_id|number",
  disable_notification: "additionalFields.disable_notification|bool",
  message_thread_id: "additionalFields.message_thread_id|number",
  reply_markup: replyMarkup,
} as const;

/** A picture or the like: by its address or id, or as a file of the item. */
const telegramMedia = (operation: string, field: string): ServiceAction => ({
  on: `message.${operation}`,
  action: "request",
  input: {
    ...request(`POST /${operation}`, {
      body: (read) => {
        const isFile = read.raw("binaryData") === true;
        const name = read.code("binaryPropertyName") ?? '"data"';
        return objectCode(read, {
          chat_id: "chatId",
          [field]: (inner) => (isFile ? `n8n.file($item, ${name})` : inner.text("file")),
          caption: "additionalFields.caption",
          parse_mode: "additionalFields.parse_mode",
          reply_to_message_id: "additionalFields.reply_to_message_id",
          message_thread_id: "additionalFields.message_thread_id",
          disable_notification: "additionalFields.disable_notification",
          title: "additionalFields.title",
          reply_markup: (inner) => {
            const markup = replyMarkup(inner);
            return markup === undefined ? undefined : `JSON.stringify(${markup})`;
          },
        });
      },
    }),
    headers: (read) =>
      read.raw("binaryData") === true ? '{ "content-type": "multipart/form-data" }' : undefined,
  },
  takes:
    "additionalFields.fileName additionalFields.duration additionalFields.height additionalFields.width",
});

export const telegramService: ServiceTable = {
  telegram: {
    preset: "telegram",
    title: "Telegram",
    usual: "message.sendMessage file.get chat.get callback.answerQuery",
    takes: "updates",
    actions: [
      {
        on: "message.sendMessage",
        action: "request",
        input: request("POST /sendMessage", {
          body: {
            chat_id: "chatId",
            text: "text",
            ...telegramFields,
            disable_web_page_preview: "additionalFields.disable_web_page_preview|bool",
          },
        }),
      },
      telegramMedia("sendPhoto", "photo"),
      telegramMedia("sendVideo", "video"),
      telegramMedia("sendAudio", "audio"),
      telegramMedia("sendDocument", "document"),
      telegramMedia("sendAnimation", "animation"),
      telegramMedia("sendSticker", "sticker"),
      {
        on: "message.sendLocation",
        action: "send_location",
        input: { chat_id: "chatId", latitude: "latitude|number", longitude: "longitude|number" },
      },
      {
        on: "message.sendChatAction",
        action: "send_chat_action",
        input: { chat_id: "chatId", action: (read) => read.source("action") ?? '"typing"' },
      },
      {
        on: "message.editMessageText",
        action: "request",
        input: request("POST /editMessageText", {
          body: {
            chat_id: "chatId",
            message_id: "messageId",
            inline_message_id: "inlineMessageId",
            text: "text",
            parse_mode: telegramFields.parse_mode,
            reply_markup: replyMarkup,
          },
        }),
        takes: "messageType",
      },
      {
        on: "message.deleteMessage",
        action: "delete_message",
        input: { chat_id: "chatId", message_id: "messageId|number" },
      },
      {
        on: "message.pinChatMessage",
        action: "request",
        input: request("POST /pinChatMessage", {
          body: { chat_id: "chatId", message_id: "messageId" },
        }),
      },
      {
        on: "callback.answerQuery",
        action: "answer_callback_query",
        input: {
          callback_query_id: "queryId",
          text: "additionalFields.text",
          show_alert: "additionalFields.show_alert|bool",
        },
      },
      { on: "chat.get", action: "get_chat", input: { chat_id: "chatId" } },
      {
        on: "chat.member",
        action: "request",
        input: request("POST /getChatMember", { body: { chat_id: "chatId", user_id: "userId" } }),
      },
      {
        on: "file.get",
        action: "download_file",
        via: {
          action: "get_file",
          input: { file_id: "fileId" },
          inputs: "[{ file_path: one.body.result.file_path }]",
        },
        items: (read) =>
          read.raw("download") === false
            ? "[{ result: asked }]"
            : "n8n.answer(one.body).map((item) => ({ ok: true, result: asked, ...item }))",
        takes: "additionalFields.mimeType",
      },
    ],
  },
};
