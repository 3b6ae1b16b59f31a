/** Gmail: mails, drafts, labels and threads. */
import { NotConvertible } from "../../conversion.ts";
import { type ParameterReader, request, type ServiceTable } from "../service-table.ts";

/** The text of a mail: HTML, unless the node says otherwise. */
const asHtml = (read: ParameterReader): string | undefined =>
  read.raw("emailType") === "text" ? undefined : read.text("message");

const asText = (read: ParameterReader): string | undefined =>
  read.raw("emailType") === "text" ? read.text("message") : undefined;

/** Attachments make a mail a file of its own. */
function refuseAttachments(read: ParameterReader): undefined {
  const files = [read.raw("options.attachmentsUi"), read.raw("additionalFields.attachmentsUi")];
  if (
    files.some((one) => one !== undefined && JSON.stringify(one) !== '{"attachmentsBinary":[{}]}')
  )
    throw new NotConvertible("sends attachments");
  return undefined;
}

const mail = {
  html: asHtml,
  text: asText,
  cc: "options.ccList or additionalFields.ccList",
  bcc: "options.bccList or additionalFields.bccList",
  replyTo: "options.replyTo",
  from: refuseAttachments,
} as const;

const MAIL_TAKES = "options.senderName options.replyToSenderOnly message includeHtml";

/** The search of Gmail that the filters of a node say. */
const mailQuery = (read: ParameterReader): string | undefined => {
  const word = (path: string, name: string): string[] => {
    const code = read.code(`filters.${path}`);
    return code === undefined ? [] : [`"${name}:" + n8n.text(${code})`];
  };
  const time = (path: string, name: string): string[] => {
    const code = read.code(`filters.${path}`);
    return code === undefined ? [] : [`"${name}:" + Math.floor(new Date(${code}) / 1000)`];
  };
  const status = read.raw("filters.readStatus");
  const q = read.code("filters.q");
  const parts = [
    ...(q === undefined ? [] : [`n8n.text(${q})`]),
    ...word("sender", "from"),
    ...time("receivedAfter", "after"),
    ...time("receivedBefore", "before"),
    ...(status === "read" || status === "unread" ? [`"is:${status}"`] : []),
  ];
  return parts.length === 0 ? undefined : `[${parts.join(", ")}].join(" ")`;
};

const mailItems = (read: ParameterReader): string => {
  if (read.raw("options.downloadAttachments") === true)
    throw new NotConvertible("downloads attachments");
  return `[n8n.mail(one.body, ${read.raw("simple") !== false})]`;
};

export const gmailService: ServiceTable = {
  gmail: {
    preset: "gmail",
    title: "Gmail",
    usual: "message.send draft.create label.getAll thread.getAll messageLabel.add",
    actions: [
      {
        on: "message.send",
        action: "send_message",
        input: {
          ...mail,
          to: (read) =>
            `n8n.list(${read.code("sendTo") ?? read.code("toList") ?? read.code("toEmail") ?? '""'}).join(", ")`,
          subject: "subject",
          html: (read) =>
            read.raw("htmlMessage") === undefined ? asHtml(read) : read.text("htmlMessage"),
        },
        takes: `${MAIL_TAKES} includeHtml`,
        sample: { sendTo: "a@example.com", subject: "s", message: "m" },
      },
      {
        on: "message.reply thread.reply",
        action: "reply_to_message",
        via: {
          action: "get_message",
          input: { id: "messageId", format: '="metadata"' },
          inputs: "[n8n.mailReply(one.body, asked)]",
        },
        input: mail,
        takes: `${MAIL_TAKES} threadId`,
      },
      {
        on: "draft.create",
        action: "create_draft",
        input: {
          ...mail,
          to: (read) => `n8n.list(${read.code("options.sendTo") ?? '""'}).join(", ")`,
          subject: "subject",
          threadId: "options.threadId",
        },
        takes: MAIL_TAKES,
      },
      {
        on: "message.getAll",
        action: "get_message",
        via: {
          action: "list_messages",
          input: {
            q: mailQuery,
            labelIds: "filters.labelIds|list",
            includeSpamTrash: "filters.includeSpamTrash|bool",
            maxResults: (read) =>
              typeof read.raw("limit") === "number" ? String(read.raw("limit")) : "50",
          },
          inputs: 'one.items.map(({ id }) => ({ id, format: "full" }))',
        },
        items: mailItems,
        isList: false,
        takes: "returnAll limit",
        notes: ["a mail has the fields of a simple one, and its text and HTML"],
      },
      {
        on: "message.get",
        action: "get_message",
        input: { id: "messageId", format: '="full"' },
        items: mailItems,
      },
      {
        on: "message.delete",
        action: "delete_message",
        input: { id: "messageId" },
        items: "=[{ success: true }]",
      },
      { on: "message.markAsRead", action: "mark_as_read", input: { id: "messageId" } },
      {
        on: "message.markAsUnread",
        action: "change_labels",
        input: { id: "messageId", addLabelIds: '=["UNREAD"]' },
      },
      {
        on: "message.addLabels messageLabel.add",
        action: "change_labels",
        input: { id: "messageId", addLabelIds: "labelIds|list" },
      },
      {
        on: "message.removeLabels messageLabel.remove",
        action: "change_labels",
        input: { id: "messageId", removeLabelIds: "labelIds|list" },
      },
      { on: "label.getAll", action: "list_labels", isList: true },
      {
        on: "thread.get",
        action: "get_thread",
        input: { id: "threadId" },
        items: "=[one.body]",
        takes: "simple options.returnOnlyMessages",
        notes: ["the mails of a thread are as Gmail gives them"],
      },
      {
        on: "thread.addLabels",
        action: "request",
        input: request("POST /gmail/v1/users/me/threads/{threadId}/modify", {
          body: { addLabelIds: "labelIds|list" },
        }),
      },
      {
        on: "thread.removeLabels",
        action: "request",
        input: request("POST /gmail/v1/users/me/threads/{threadId}/modify", {
          body: { removeLabelIds: "labelIds|list" },
        }),
      },
      {
        on: "thread.trash",
        action: "request",
        input: request("POST /gmail/v1/users/me/threads/{threadId}/trash"),
      },
      {
        on: "label.create",
        action: "request",
        input: request("POST /gmail/v1/users/me/labels", { body: { name: "name" } }),
      },
    ],
  },
};
