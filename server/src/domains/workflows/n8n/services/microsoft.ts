/** Outlook, Teams and Excel. */
import { NotConvertible } from "../conversion.ts";
import { toText } from "../n8n-workflow.ts";
import { objectCode, ParameterReader, type ServiceTable } from "./service-table.ts";

const recipients = (path: string) => (read: ParameterReader) => {
  const code = read.code(path);
  return code === undefined
    ? undefined
    : `n8n.list(${code}).map((address) => ({ emailAddress: { address } }))`;
};

const sheetPath = (read: ParameterReader): string =>
  `"/me/drive/items/" + encodeURIComponent(${read.source("workbook|id") ?? '""'}) + "/workbook/worksheets/" + encodeURIComponent(${read.text("worksheet")})`;

/** The number of a row, which n8n counts from 0. */
const rowNumber = (read: ParameterReader, path: string, otherwise: number): number => {
  const value = read.raw(path) ?? otherwise;
  if (typeof value !== "number") throw new NotConvertible("names a row by expression");
  return value + 1;
};

export const microsoft: ServiceTable = {
  microsoftExcel: {
    preset: "microsoft_excel",
    title: "Microsoft Excel",
    usual: "workbook.getAll worksheet.getAll",
    actions: [
      {
        on: "workbook.getAll",
        action: "request",
        input: {
          method: '="GET"',
          path: `="/me/drive/root/search(q='.xlsx')"`,
          query: '={ $select: "id,name" }',
        },
        items: "=one.body.value",
        isList: true,
        takes: "filters",
      },
      {
        on: "worksheet.getAll",
        action: "list_worksheets",
        input: { workbookId: "workbook|id" },
        isList: true,
        takes: "filters",
      },
      {
        on: "worksheet.readRows",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) =>
            read.raw("useRange") === true
              ? `${sheetPath(read)} + "/range(address='" + encodeURIComponent(${read.text("range")}) + "')"`
              : `${sheetPath(read)} + "/usedRange"`,
        },
        items: (read) => {
          if (read.raw("options.rawData") === true) throw new NotConvertible("reads raw rows");
          const header = rowNumber(read, "keyRow", 0);
          const first = rowNumber(read, "dataStartRow", 1);
          return `n8n.sheetRows(one.body.values, { header: ${header}, first: ${first} }).map(({ row_number, ...row }) => row)`;
        },
        sample: { workbook: "w", worksheet: "s" },
      },
    ],
  },
  microsoftOutlook: {
    preset: "microsoft_outlook",
    title: "Microsoft Outlook",
    usual: "message.send draft.create event.create folder.getAll contact.create",
    takes: "output fields filtersUI options.downloadAttachments",
    actions: [
      {
        on: "message.send draft.create",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) => (read.raw("resource") === "draft" ? '"/me/messages"' : '"/me/sendMail"'),
          body: (read) => {
            if (read.raw("additionalFields.attachments") !== undefined)
              throw new NotConvertible("sends attachments");
            const kind = toText(read.raw("additionalFields.bodyContentType"), "text");
            const message = objectCode(read, {
              subject: "subject",
              body: (inner) =>
                `{ contentType: ${JSON.stringify(kind)}, content: ${inner.text("bodyContent")} }`,
              toRecipients: recipients(
                read.raw("toRecipients") === undefined
                  ? "additionalFields.toRecipients"
                  : "toRecipients",
              ),
              ccRecipients: recipients("additionalFields.ccRecipients"),
              bccRecipients: recipients("additionalFields.bccRecipients"),
              replyTo: recipients("additionalFields.replyTo"),
              importance: "additionalFields.importance",
            });
            return read.raw("resource") === "draft" ? message : `{ message: ${message} }`;
          },
        },
        items: (read) => (read.raw("resource") === "draft" ? "[one.body]" : "[{ success: true }]"),
        takes: "additionalFields.from additionalFields.saveToSentItems",
        sample: { subject: "s", bodyContent: "b", toRecipients: "a@example.com" },
      },
      {
        on: "message.update",
        action: "update_message",
        input: {
          id: "messageId",
          isRead: "updateFields.isRead|bool",
          categories: "updateFields.categories|list",
          importance: "updateFields.importance",
        },
      },
      {
        on: "message.move",
        action: "move_message",
        input: { id: "messageId", destinationId: "folderId" },
      },
      {
        on: "message.getAll",
        action: "list_messages",
        input: { filter: "filtersUI.values.filters.custom", search: "filtersUI.values.search" },
        isList: true,
      },
      { on: "message.get", action: "get_message", input: { id: "messageId" } },
      {
        on: "message.delete",
        action: "delete_message",
        input: { id: "messageId" },
        items: "=[{ success: true }]",
      },
      {
        on: "message.reply",
        action: "reply_to_message",
        input: { id: "messageId", comment: "message" },
        items: "=[{ success: true }]",
        takes: "replyToSenderOnly",
      },
      { on: "folder.getAll", action: "list_folders", isList: true },
    ],
  },
  microsoftTeams: {
    preset: "microsoft_teams",
    title: "Microsoft Teams",
    usual: "channel.create channelMessage.create chatMessage.create",
    actions: [
      {
        on: "channelMessage.create",
        action: "send_channel_message",
        input: {
          teamId: "teamId",
          channelId: "channelId",
          content: "message",
          contentType: (read) => read.source("contentType or messageType") ?? '"text"',
        },
      },
      {
        on: "chatMessage.create",
        action: "send_chat_message",
        input: {
          chatId: "chatId",
          content: "message",
          contentType: (read) => read.source("contentType or messageType") ?? '"text"',
        },
      },
      {
        on: "channel.create",
        action: "create_channel",
        input: { teamId: "teamId", displayName: "name", description: "options.description" },
      },
    ],
  },
};
